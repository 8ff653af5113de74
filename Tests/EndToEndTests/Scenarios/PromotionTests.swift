import AttestTestKit
import Glibc
import Harness
import PostgresStore
import Testing

extension EndToEndTests {
    /// A primary dies with commits that its standby never got, and comes back read only.
    @Suite struct PromotionTests {
        @Test func `a standby that lost commits is promoted, and the worker catches up there`()
            async throws
        {
            let authority = TestAuthority(seed: 73)
            let own = try await OwnPostgres.start("promoted")
            defer { own.server.remove() }
            let standby = try await Standby.start(beside: own)
            // Both hosts, as an operator would give them; which one writes, libpq finds out.
            let both = Database(
                conninfo: "host=\(own.server.folder),\(standby.folder) port=\(own.server.port) "
                    + "user=postgres dbname=promoted",
                name: "promoted")
            let world = try await World("promoted", apps: [Load.app(authority)], database: both)
            let first = Load(
                "before", seed: 73, deviceCount: 5, assertionCount: 100, authority: authority)
            let lost = Load(
                "lost", seed: 74, deviceCount: 5, assertionCount: 100, authority: authority)
            let last = Load(
                "after", seed: 75, deviceCount: 5, assertionCount: 100, authority: authority)
            let oracle = Oracle(world, first)
            oracle.plan(lost)
            oracle.plan(last)
            let worker = try await world.startWorker()
            try await world.send(first, oracle, [worker], within: .seconds(60))
            try await standby.disconnect()
            try await world.send(lost, oracle, [worker], within: .seconds(60))

            try own.server.stop(.immediate)
            try await standby.promote()
            // The old primary comes back, as failover tools leave it: it refuses to write.
            try await PostgresTools.run(
                [
                    "sh", "-c",
                    "echo 'default_transaction_read_only = on' >> data/postgresql.auto.conf",
                ], beside: own.server, folder: own.folder)
            try own.server.start()
            try await world.send(last, oracle, [worker], within: .seconds(60))
            try await worker.waitFor("database_regression", within: .seconds(10))
            try await stop([worker])
            oracle.database = standby.database
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
            try await standby.stop()
        }
    }
}

/// A streaming standby of a server, in a folder within that server's.
private struct Standby {
    let folder: String
    let database: Database
    private let own: OwnPostgres

    /// Copies the running primary and starts it as its standby.
    static func start(beside own: OwnPostgres) async throws -> Standby {
        let server = own.server
        let folder = server.folder + "/standby"
        try await PostgresTools.run(
            [
                "pg_basebackup", "-R", "-X", "stream", "-c", "fast", "-D", folder, "-h",
                server.folder, "-p", String(server.port), "-U", "postgres",
            ], beside: server, folder: own.folder)
        let settings = "unix_socket_directories = '\(folder)'"
        try await PostgresTools.run(
            ["sh", "-c", "echo \"\(settings)\" >> standby/postgresql.auto.conf"], beside: server,
            folder: own.folder)
        let conninfo = "host=\(folder) port=\(server.port) user=postgres dbname=promoted"
        let standby = Standby(
            folder: folder, database: Database(conninfo: conninfo, name: "promoted"), own: own)
        try await standby.control(["start", "-l", folder + "/server.log"])
        return standby
    }

    /// What the primary commits from now on does not arrive.
    func disconnect() async throws {
        try await database.query("ALTER SYSTEM SET primary_conninfo = ''")
        try await database.query("SELECT pg_reload_conf()")
        try await eventually("the standby is cut off", within: .seconds(20)) {
            try await database.query("SELECT count(*) FROM pg_stat_wal_receiver") == [["0"]]
        }
    }

    func promote() async throws {
        try await control(["promote"])
    }

    func stop() async throws {
        try await control(["stop", "-m", "immediate"])
    }

    private func control(_ command: [String]) async throws {
        try await PostgresTools.run(
            ["pg_ctl"] + command + ["-D", folder, "-w", "-t", "60", "-s"], beside: own.server,
            folder: own.folder)
    }
}
