import AttestTestKit
import Foundation
import Glibc
import Harness
import PostgresStore

/// The broker, the database and the proxy in front of it, as one soak has them.
struct SoakServers: Sendable {
    /// A cluster of three mock brokers in a process of its own.
    let broker: Broker
    /// The database server.
    let postgres: TemporaryPostgres
    /// Stands between workers and server.
    let proxy: PostgresProxy
    /// The workers' database, past the proxy.
    let database: Database
    /// What workers are told.
    let settingsPath: String
    /// Where everything is logged.
    let folder: Folder

    static let group = "soak"
    static let requests = "soak.requests"
    static let verdicts = "soak.verdicts"
    static let deadLetters = "soak.dead-letters"
    static let brokers = 3

    /// Starts all of it and creates topics and schema.
    static func start(
        _ options: SoakOptions, authority: TestAuthority, folder: Folder
    ) async throws -> SoakServers {
        let broker = try await Broker.start(folder: folder, name: "broker", brokers: brokers)
        for topic in [requests, verdicts, deadLetters] {
            try await broker.command("topic \(topic):\(options.partitions)")
        }
        let postgres = try TemporaryPostgres()
        let proxy = try PostgresProxy(to: postgres)
        let database = try await Database.create("soak", on: postgres, migrated: false)
        try await database.migrate(folder)
        var settings = WorkerSettings(
            kafka: .init(
                bootstrapServers: [broker.bootstrapServers], groupId: group,
                topics: .init(
                    requests: [requests], verdicts: verdicts, deadLetters: deadLetters)),
            postgres: .init(connection: conninfo(proxy, worker: "unnamed")),
            apps: [Load.app(authority)])
        if options.window > 0 { settings.apps[0].replayWindow = options.window }
        // Hours of debug lines would fill the disk.
        settings.log.level = "info"
        return SoakServers(
            broker: broker, postgres: postgres, proxy: proxy, database: database,
            settingsPath: try folder.write(settings.json, to: "settings.json"), folder: folder)
    }

    /// The connection string of a worker, under whose name its sessions are counted.
    ///
    /// It logs in with the rights of `schemas/roles.sql` alone.
    static func conninfo(_ proxy: PostgresProxy, worker: String) -> String {
        "host=\(proxy.folder) port=5432 user=\(Database.Role.worker.login) dbname=soak "
            + "application_name=\(worker)"
    }

    /// Kills the server's first process, as the kernel does that has no memory left, and starts it
    /// again, which recovers from the log.
    func crashDatabase(downFor pause: Duration) async throws {
        let text = try String(
            contentsOfFile: postgres.folder + "/data/postmaster.pid", encoding: .utf8)
        guard let processID = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw HarnessFailure("the server's process id is not known: \(text)")
        }
        kill(processID, SIGKILL)
        try await Task.sleep(for: pause)
        try await startDatabase()
    }

    /// Starts the server after it was stopped or killed.
    ///
    /// Its orphaned processes may still hold its memory for a moment; then it is tried again.
    func startDatabase() async throws {
        try await eventually("the database server starts again", within: .seconds(60)) {
            do {
                try await blocking { try postgres.start() }
                return true
            } catch {
                try await Task.sleep(for: .milliseconds(300))
                return false
            }
        }
    }

    /// Stops the server as an operator does.
    func stopDatabase() async throws {
        try await blocking { try postgres.stop(.fast) }
    }

    /// Executes SQL as long as it takes for the server to be there.
    func persistentQuery(_ sql: String) async throws {
        var last: any Error = HarnessFailure("not tried")
        for _ in 0..<40 {
            do {
                try await database.query(sql)
                return
            } catch {
                last = error
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        throw last
    }
}
