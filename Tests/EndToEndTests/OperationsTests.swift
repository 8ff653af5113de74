import AttestTestKit
import Glibc
import Harness
import PostgresStore
import Testing

extension EndToEndTests {
    /// What an operator sees of workers whose world breaks.
    @Suite struct OperationsTests {
        @Test func `an outage and a death are told as they are, and restart nobody`() async throws {
            let authority = TestAuthority(seed: 70)
            let world = try await World("operations", partitions: 4, apps: [Load.app(authority)])
            let load = Load(
                world.name, seed: 70, deviceCount: 12, assertionCount: 300, authority: authority)
            let oracle = Oracle(world, load)
            let workers = [try await world.startWorker(), try await world.startWorker()]
            try await eventually("both share the topic; \(workers)", within: .seconds(60)) {
                try workers.allSatisfy { try Self.partitions(of: $0) == 2 && Self.isReady($0) }
            }
            try world.send(load.requests.prefix(150).map(\.record))
            try await eventually("some are answered; \(workers)", within: .seconds(60)) {
                try await world.answers().count > 50
            }
            let before = try workers.map { try Self.rebalances(of: $0) }

            let postgres = try Servers.shared().postgres
            try postgres.stop(.immediate)
            try world.send(load.requests[150...].map(\.record))
            try await eventually("nobody is ready; \(workers)", within: .seconds(30)) {
                try workers.allSatisfy { try $0.http("/readyz").status == 503 }
            }
            // Longer than the session timeout, looked at all the time.
            for _ in 0..<40 {
                for worker in workers { #expect(try worker.http("/livez").status == 200) }
                try await Task.sleep(for: .milliseconds(200))
            }
            for worker in workers {
                #expect(try worker.http("/readyz").body.contains("database"))
                #expect(try worker.http("/startupz").status == 200)
                #expect(try worker.metrics.sum("attest_worker_pg_errors_total") ?? 0 > 0)
            }
            try postgres.start()
            try await oracle.waitUntilAnswered(within: .seconds(60), workers)
            try await eventually("both are ready again; \(workers)", within: .seconds(30)) {
                try workers.allSatisfy(Self.isReady)
            }
            #expect(try workers.map { try Self.rebalances(of: $0) } == before)
            #expect(try await world.deadLetters.readOn().isEmpty)
            try await Self.expectTruth(of: workers, world, load)

            try await workers[1].kill()
            try await eventually("the first has all; \(workers[0])", within: .seconds(60)) {
                try Self.partitions(of: workers[0]) == 4
                    && workers[0].metrics.count("attest_worker_partition_position") == 4
            }
            try await stop([workers[0]])
        }

        @Test func `a start that waits for its database can be seen`() async throws {
            let silent = try SilentServer()
            let world = try await World(
                "operations-start", apps: [Load.app(TestAuthority(seed: 74))]
            ) { settings in
                settings.postgres.connection = "host=127.0.0.1 port=\(silent.port) dbname=none"
                settings.postgres.connectTimeout = "100s"
            }
            let worker = try await world.startWorker()
            try await eventually("HTTP answers; \(worker)", within: .seconds(60)) {
                worker.operationsAddress != nil
            }
            let answer = try worker.http("/startupz")
            #expect(answer.status == 503)
            #expect(answer.body.contains("lane 0 has not reached PostgreSQL yet"))
            #expect(try worker.http("/readyz").status == 503)
            #expect(try worker.http("/livez").status == 200)
            #expect(try worker.metrics.sum("attest_worker_state", ["state": "starting"]) == 1)
            #expect(worker.count(of: "start_up_check") == 0, "it is still under way")
            #expect(worker.count(of: "worker_started") == 0)
            try await worker.kill()
        }

        @Test func `a lane that is stuck fails liveness, and a port in use a start`() async throws {
            let authority = TestAuthority(seed: 71)
            let world = try await World("operations-stuck", apps: [Load.app(authority)])
            let worker = try await world.startWorker([
                "STALL_AT": "claimed:1", "ATTEST_WORKER__LANES": "2",
                "ATTEST_POSTGRES__STATEMENT_TIMEOUT": "500ms",
                "ATTEST_POSTGRES__LOCK_TIMEOUT": "500ms", "ATTEST_OPERATIONS__STALL_TIMEOUT": "14s",
            ])
            try await eventually("HTTP answers; \(worker)", within: .seconds(30)) {
                worker.operationsAddress != nil
            }
            #expect(try worker.http("/livez").status == 200)
            let address = try #require(worker.operationsAddress)
            let second = try await world.startWorker(["ATTEST_OPERATIONS__LISTEN": address])
            #expect(try await second.waitForEnd(within: .seconds(30)) == .exited(69))
            #expect(second.errors.contains("another process listens there"))
            try await eventually("one lane is stuck; \(worker)", within: .seconds(60)) {
                try worker.http("/livez").status == 503
            }
            let answer = try worker.http("/livez").body
            #expect(answer.contains("is stuck: database: claim has lasted 1"))
            // The other one polls on.
            #expect(answer.split(separator: "\n").count == 1)
            #expect(worker.ended == nil)
            try await worker.kill()
        }

        @Test func `while the broker is away no call of a lane lasts, and nobody is ready`()
            async throws
        {
            let authority = TestAuthority(seed: 73)
            let broker = try await Broker.start(
                folder: Servers.shared().folder, name: "broker-of-operations")
            let world = try await World(
                "operations-broker", apps: [Load.app(authority)], broker: broker)
            let load = Load(
                world.name, seed: 73, deviceCount: 10, assertionCount: 900, authority: authority)
            let oracle = Oracle(world, load)
            let worker = try await world.startWorker()
            try world.send(load.requests.map(\.record))
            try await eventually("the first verdicts; \(worker)", within: .seconds(60)) {
                try await !world.answers().isEmpty
            }
            try await broker.command("down")
            let start = ContinuousClock.now
            var wasReady = true
            var longest = (name: "", milliseconds: Int64(0))
            // A lane may have to wait for a commit before it can hear of its brokers.
            while ContinuousClock.now - start < .seconds(wasReady ? 30 : 8) {
                #expect(try worker.http("/livez").status == 200)
                wasReady = try worker.http("/readyz").status == 200
                for (name, milliseconds) in Self.activities(try worker.http("/statusz").body)
                where milliseconds > longest.milliseconds {
                    longest = (name, milliseconds)
                }
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(longest.milliseconds < 6000, "\(longest)")
            #expect(!wasReady)
            try await broker.command("up")
            try await oracle.waitUntilAnswered(within: .seconds(60), [worker])
            try await eventually("it is ready again; \(worker)", within: .seconds(30)) {
                try Self.isReady(worker)
            }
            try await stop([worker])
            try await oracle.expectEverythingRight()
        }

        /// What each lane is doing, and since when.
        private static func activities(_ status: String) -> [(String, Int64)] {
            status.matches(
                of: /"doing" : "([^"]*)",\s*"doingForMilliseconds" : (\d+)/
            ).compactMap { match in
                Int64(match.output.2).map { (String(match.output.1), $0) }
            }
        }

        private static func isReady(_ worker: ChildProcess) throws -> Bool {
            guard worker.operationsAddress != nil else { return false }
            return try worker.http("/readyz").status == 200
        }

        private static func partitions(of worker: ChildProcess) throws -> Double {
            guard worker.operationsAddress != nil else { return 0 }
            return try worker.metrics.sum("attest_worker_assigned_partitions") ?? 0
        }

        private static func rebalances(of worker: ChildProcess) throws -> Double? {
            try worker.metrics.sum("attest_worker_rebalances_total")
        }

        /// The counts of all workers against what is on the topics.
        private static func expectTruth(
            of workers: [ChildProcess], _ world: World, _ load: Load
        ) async throws {
            let metrics = try workers.map { try $0.metrics }
            func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
                metrics.compactMap { $0.sum(name, labels) }.reduce(0, +)
            }
            let published = try await world.verdicts.readOn().count
            let verdicts = sum("attest_worker_verdicts_total")
            let duplicates = sum("attest_worker_duplicates_answered_total")
            #expect(Int(verdicts + duplicates) == published)
            #expect(Int(sum("attest_worker_messages_consumed_total")) >= load.requests.count)
            #expect(sum("attest_worker_simulated_verdicts_total", ["outcome": "accepted"]) > 0)
            #expect(sum("attest_worker_dead_letters_total") == 0)
            #expect(sum("attest_worker_retries_total") > 0)
            #expect(sum("attest_worker_key_mismatches_total") == 0)
            #expect(sum("attest_worker_unreported_verdicts") == 0)
            #expect(sum("attest_worker_inflight_messages") == 0)
            try await eventually("no lag is left", within: .seconds(20)) {
                try workers.allSatisfy {
                    try $0.metrics.sum("attest_worker_consumer_lag_messages") == 0
                        && $0.metrics.sum("attest_worker_consumer_lag_seconds") == 0
                }
            }
        }
    }
}
