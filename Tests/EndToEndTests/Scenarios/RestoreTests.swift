import AttestTestKit
import Harness
import PostgresStore
import Testing

extension EndToEndTests {
    /// The database goes back in time, and Kafka does not.
    @Suite struct RestoreTests {
        @Test func `a database restored under a worker's feet is noticed and caught up`()
            async throws
        {
            let authority = TestAuthority(seed: 70)
            let own = try await OwnPostgres.start("restored")
            defer { own.server.remove() }
            let world = try await World(
                "restored", apps: [Load.app(authority)], database: own.database)
            let first = Load(
                "before", seed: 70, deviceCount: 5, assertionCount: 100, authority: authority)
            let second = Load(
                "lost", seed: 71, deviceCount: 5, assertionCount: 100, authority: authority)
            let third = Load(
                "after", seed: 72, deviceCount: 5, assertionCount: 100, authority: authority)
            let oracle = Oracle(world, first)
            oracle.plan(second)
            oracle.plan(third)
            let worker = try await world.startWorker()
            try await world.send(first, oracle, [worker], within: .seconds(60))

            try own.server.stop(.fast)
            try await own.copyData(from: "data", to: "copy")
            try own.server.start()
            try await world.send(second, oracle, [worker], within: .seconds(60))
            let answered = try await world.verdicts.readOn().count

            try own.server.stop(.immediate)
            try await own.copyData(from: "copy", to: "data")
            try own.server.start()
            // What it lost is decided again, each time with the same bytes: the oracle compares.
            try await world.send(third, oracle, [worker], within: .seconds(60))
            try await worker.waitFor("database_regression", within: .seconds(10))
            let repeated = try await world.verdicts.readOn().count - answered
            #expect(repeated >= second.requests.count + third.requests.count)
            try await stop([worker])
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }
    }
}
