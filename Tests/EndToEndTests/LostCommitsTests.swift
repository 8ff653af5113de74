import AttestTestKit
import Glibc
import Harness
import PostgresStore
import Testing
import Worker

extension EndToEndTests {
    /// A database that is set back to an earlier copy, behind what Kafka has committed.
    @Suite struct LostCommitsTests {
        @Test func `a database set back is noticed, and all is decided again with the same bytes`()
            async throws
        {
            let authority = TestAuthority(seed: 70)
            let world = try await World("set-back", apps: [Load.app(authority)])
            let load = Load(
                world.name, seed: 70, deviceCount: 6, assertionCount: 200, authority: authority)
            let oracle = Oracle(world, load)
            let records = load.requests.map(\.record)
            let first = try await world.startWorker()
            try world.send(records.prefix(80))
            try await oracle.waitUntilAnswered(within: .seconds(60), [first])
            try await stop([first])
            let copy = try await world.database.copy()
            let second = try await world.startWorker()
            try world.send(records.dropFirst(80))
            try await oracle.waitUntilAnswered(within: .seconds(60), [second])
            try await stop([second])
            let highest = try await signCounts(world)
            try await world.database.restore(copy)
            #expect(try await signCounts(world) != highest, "the copy is no older")

            let third = try await world.startWorker()
            try await third.waitFor("database_regression", within: .seconds(60))
            try await eventually("all is decided again; \(third)", within: .seconds(60)) {
                try await decidedCount(in: world) == "\(records.count)"
            }
            try await stop([third])
            #expect(try await signCounts(world) == highest)
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }

        /// The mock keeps 5 MiB of a partition: large records take the older ones out.
        @Test func `beyond the topic's retention the worker halts until verdicts are reconciled`()
            async throws
        {
            let authority = TestAuthority(seed: 71)
            let world = try await World(
                "beyond", partitions: 1, apps: [Load.app(authority)])
            var phone = Phone(seed: 71, authority: authority)
            let lost = Phone(seed: 72, authority: authority)
            let first = try await world.startWorker()
            try world.send([phone.registration("phone"), phone.assertion("before")])
            try await waitForAnswers(["phone", "before"], world, first)
            try await stop([first])
            let copy = try await world.database.copy()

            let second = try await world.startWorker()
            try world.send([
                lost.registration("lost"), phone.assertion("one"), phone.assertion("two"),
            ])
            try await waitForAnswers(["lost", "one", "two"], world, second)
            let filler = [UInt8](repeating: 0x20, count: 900_000)
            // One by one, or they would be dropped before they are read.
            for _ in 0..<8 {
                try world.send([SentRecord(key: nil, value: filler)])
                try await eventually("it is committed; \(second)", within: .seconds(60)) {
                    let positions = try await world.requests.positions()
                    return positions.values.allSatisfy { $0.committed == $0.high }
                }
            }
            // What the topic still holds when the database is set back.
            var late = Phone(seed: 73, authority: authority)
            try world.send([
                phone.assertion("three"), late.registration("late"), late.assertion("later"),
            ])
            try await waitForAnswers(["three", "late", "later"], world, second)
            try await stop([second])
            let low = try #require(try await world.requests.positions().values.first?.low)
            #expect(low > 5, "the mock has dropped nothing")
            try await world.database.restore(copy)

            let halted = try await world.startWorker()
            #expect(try await halted.waitForEnd(within: .seconds(60)) == .exited(73))
            #expect(halted.errors.contains("attest-worker reconcile --from-verdicts"))
            #expect(try await signCounts(world) == ["1"])
            try await reconcileGap(world)

            let last = try await world.startWorker()
            try world.send([try phone.replay("old"), phone.assertion("new")])
            try await waitForAnswers(["old", "new"], world, last)
            let answers = try await world.answers()
            #expect(try verdict(answers["old"]) == .rejected("counter_not_increasing"))
            #expect(try verdict(answers["new"]) == .accepted())
            for id in ["three", "late", "later"] {
                let verdicts = try #require(answers[id])
                #expect(verdicts.count > 1 && Set(verdicts).count == 1, "\(id) is judged anew")
            }
            try await stop([last])
            let whole = try await reconcile(world, "--dry-run")
            #expect(whole.contains("\"raised\":0"), "\(whole)")
        }

        private func reconcile(_ world: World, _ flags: String...) async throws -> String {
            let process = try await world.runCommand(
                "reconcile", ["--from-verdicts", "--json"] + flags)
            #expect(process.ended == .exited(0), "\(process)")
            return process.output
        }

        private func reconcileGap(_ world: World) async throws {
            let told = try await reconcile(world, "--dry-run", "--accept-gap")
            #expect(told.contains("\"raised\":1"), "\(told)")
            #expect(told.contains("\"gapAccepted\":false"), "\(told)")
            #expect(try await signCounts(world) == ["1"], "a dry run has changed something")

            let raised = try await reconcile(world)
            #expect(raised.contains("\"raised\":1"), "\(raised)")
            #expect(raised.contains("\"missingKeys\":1"), "\(raised)")
            #expect(raised.contains("\"decidedAgain\":3"), "\(raised)")
            #expect(raised.contains("\"isCovered\":true"), "\(raised)")
            #expect(try await signCounts(world) == ["3"])
            let again = try await reconcile(world, "--accept-gap")
            #expect(again.contains("\"raised\":0"), "\(again)")
            #expect(again.contains("\"gapAccepted\":true"), "\(again)")
            let offsets = try await world.runCommand("offsets show", ["--json"])
            #expect(offsets.output.contains("\"state\":\"lost_commits\""), "\(offsets.output)")
        }
    }
}

private func verdict(_ bytes: [[UInt8]]?) throws -> Harness.Expectation {
    Expectation(try ReceivedVerdict(parsing: try #require(bytes?.first)))
}

private func waitForAnswers(
    _ requestIDs: [String], _ world: World, _ worker: ChildProcess
) async throws {
    try await eventually("\(requestIDs) are answered; \(worker)", within: .seconds(60)) {
        let answers = try await world.answers()
        return requestIDs.allSatisfy { answers[$0] != nil }
    }
}

private func signCounts(_ world: World) async throws -> [String] {
    try await world.database.query("SELECT sign_count FROM attest.keys ORDER BY key_id")
        .compactMap(\.first)
}

/// How many records are decided in all partitions.
private func decidedCount(in world: World) async throws -> String {
    let rows = try await world.database.query(
        "SELECT sum(next_offset) FROM attest.partition_progress")
    return rows.first?.first ?? ""
}

extension Database {
    /// Makes a copy of it, as a backup would be; nobody may be connected.
    fileprivate func copy() async throws -> String {
        let copy = name + "-copy"
        try await root().query("CREATE DATABASE \"\(copy)\" TEMPLATE \"\(name)\"")
        return copy
    }

    /// Puts a copy in its place; nobody may be connected.
    fileprivate func restore(_ copy: String) async throws {
        try await root().query("DROP DATABASE \"\(name)\"")
        try await root().query("ALTER DATABASE \"\(copy)\" RENAME TO \"\(name)\"")
    }

    private func root() throws -> Database {
        Database(conninfo: try Servers.shared().postgres.conninfo(), name: "postgres")
    }
}
