import AttestTestKit
import Glibc
import Harness
import PostgresStore
import Testing
import Worker

extension EndToEndTests {
    @Suite struct StopTests {
        /// Two lanes: the mock broker refuses the commit of the second once the first has left.
        ///
        /// It refuses all commits while a group comes together, so that is waited for.
        @Test func `SIGTERM under load ends with 0 and commits what is finished`() async throws {
            let authority = TestAuthority(seed: 60)
            let world = try await World("stop", apps: [Load.app(authority)]) { settings in
                settings.worker.batchRecordsMax = 10
                settings.worker.lanes = 2
            }
            let load = Load(
                world.name, seed: 60, deviceCount: 10, assertionCount: 900, authority: authority)
            let oracle = Oracle(world, load)
            let first = try await world.startWorker()
            try await eventually("both lanes have claimed; \(first)", within: .seconds(60)) {
                let claims = first.errors.split(separator: "\n").filter {
                    $0.contains("\"event\":\"partitions_claimed\"")
                }
                return ["lane-0", "lane-1"].allSatisfy { lane in
                    claims.contains { $0.contains("\"lane\":\"\(lane)\"") }
                }
            }
            try world.send(load.requests.map(\.record))
            try await eventually("the first verdicts; \(first)", within: .seconds(30)) {
                try await !world.answers().isEmpty
            }
            try await stop([first])
            try await oracle.expectNothingAhead()
            let rows = try await world.database.query(
                "SELECT partition, next_offset FROM attest.partition_progress")
            let decided = Set(rows.map { "\($0[0]) \($0[1])" })
            let committed = try await world.requests.positions().map { partition, position in
                "\(partition.partition) \(position.committed ?? 0)"
            }
            #expect(decided == Set(committed), "what is decided is not committed; \(first)")

            let second = try await world.startWorker()
            try await oracle.waitUntilAnswered(within: .seconds(60), [second])
            try await stop([second])
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }

        @Test func `a stop that can't be finished ends at the deadline or at a second signal`()
            async throws
        {
            let authority = TestAuthority(seed: 61)
            let load = Load(
                "stuck", seed: 61, deviceCount: 4, assertionCount: 20, authority: authority)
            var worlds: [World] = []
            var workers: [ChildProcess] = []
            for (name, timeout) in [("stuck-waits", "1s"), ("stuck-hurries", "60s")] {
                let world = try await World(name, apps: [Load.app(authority)]) { settings in
                    settings.worker.drainTimeout = timeout
                }
                worlds.append(world)
                workers.append(try await world.startWorker())
            }
            for worker in workers {
                try await worker.waitFor("partitions_claimed", within: .seconds(30))
            }
            let postgres = try Servers.shared().postgres
            try postgres.stop(.immediate)
            for world in worlds { try world.send(load.requests.map(\.record)) }
            for worker in workers {
                try await worker.waitFor("retried", count: 2, within: .seconds(30))
                worker.send(SIGTERM)
                try await worker.waitFor("stop_requested", within: .seconds(10))
            }
            // Twice within a second is one stop, as timeout(1) signals a process and its group.
            workers[1].send(SIGTERM)
            try await Task.sleep(for: .milliseconds(1100))
            #expect(workers[1].ended == nil, "\(workers[1])")
            workers[1].send(SIGTERM)
            #expect(try await workers[1].waitForEnd(within: .seconds(5)) == .exited(75))
            #expect(try await workers[0].waitForEnd(within: .seconds(15)) == .exited(75))
            try postgres.start()

            // Nothing is lost by either.
            for world in worlds {
                let oracle = Oracle(world, load)
                let next = try await world.startWorker()
                try await oracle.waitUntilAnswered(within: .seconds(60), [next])
                try await stop([next])
                try await oracle.expectEverythingRight()
            }
        }

        @Test func `a stop while the broker is away ends within its deadline`() async throws {
            let authority = TestAuthority(seed: 62)
            let broker = try await Broker.start(
                folder: Servers.shared().folder, name: "broker-that-stays-away")
            let world = try await World(
                "stop-without-broker", apps: [Load.app(authority)], broker: broker
            ) { settings in
                settings.worker.drainTimeout = "2s"
                settings.worker.batchRecordsMax = 5
            }
            let load = Load(
                world.name, seed: 62, deviceCount: 10, assertionCount: 900, authority: authority)
            let worker = try await world.startWorker()
            try world.send(load.requests.map(\.record))
            try await eventually("the first verdicts; \(worker)", within: .seconds(30)) {
                try await !world.answers().isEmpty
            }
            try await broker.command("down")
            // A batch is decided that can't be published: no progress, and work is left.
            var decided = ""
            try await eventually("the worker gets stuck; \(worker)", within: .seconds(30)) {
                let before = decided
                decided = try await decidedCount(in: world)
                try await Task.sleep(for: .seconds(1))
                return decided == before
            }
            #expect(Int(decided) ?? .max < load.requests.count, "nothing is left to be done")
            worker.send(SIGTERM)
            // 2 s of draining, 5 s for each of the clients to give up.
            #expect(try await worker.waitForEnd(within: .seconds(15)) == .exited(75), "\(worker)")
        }
    }
}

/// How many records are decided in all partitions.
private func decidedCount(in world: World) async throws -> String {
    let rows = try await world.database.query(
        "SELECT sum(next_offset) FROM attest.partition_progress")
    return rows.first?.first ?? ""
}
