import AttestTestKit
import Glibc
import Harness
import PostgresStore
import Testing

extension EndToEndTests {
    @Suite struct OutageTests {
        @Test func `an outage of PostgreSQL under load is sat out`() async throws {
            let authority = TestAuthority(seed: 50)
            let world = try await World("database-down", apps: [Load.app(authority)])
            let load = Load(
                world.name, seed: 50, deviceCount: 10, assertionCount: 900, authority: authority)
            let oracle = Oracle(world, load)
            let worker = try await world.startWorker()
            try world.send(load.requests.prefix(500).map(\.record))
            try await eventually("the first verdicts; \(worker)", within: .seconds(30)) {
                try await !world.answers().isEmpty
            }

            let postgres = try Servers.shared().postgres
            try postgres.stop(.immediate)
            try world.send(load.requests[500..<700].map(\.record))
            try await worker.waitFor("retried", count: 3, within: .seconds(30))
            // Longer than the session timeout: only a member that goes on polling stays in.
            try await Task.sleep(for: .seconds(7))
            try postgres.start()
            try world.send(load.requests[700...].map(\.record))
            // Cut again and again, at whatever point of a transaction it is.
            for _ in 0..<20 {
                try await world.database.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
            }
            try await oracle.waitUntilAnswered(within: .seconds(60), [worker])
            #expect(worker.count(of: "partitions_assigned") == 1, "it left the group; \(worker)")
            try await stop([worker])
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }

        @Test func `an outage of the broker under load is sat out`() async throws {
            let authority = TestAuthority(seed: 51)
            let broker = try await Broker.start(
                folder: Servers.shared().folder, name: "broker-that-falls")
            let world = try await World(
                "broker-down", apps: [Load.app(authority)], broker: broker)
            let load = Load(
                world.name, seed: 51, deviceCount: 10, assertionCount: 900, authority: authority)
            let oracle = Oracle(world, load)
            let worker = try await world.startWorker()
            try world.send(load.requests.map(\.record))
            try await eventually("the first verdicts; \(worker)", within: .seconds(30)) {
                try await !world.answers().isEmpty
            }
            try await broker.command("down")
            try await Task.sleep(for: .seconds(2))
            try await broker.command("up")
            try await oracle.waitUntilAnswered(within: .seconds(60), [worker])
            try await stop([worker])
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }
    }
}
