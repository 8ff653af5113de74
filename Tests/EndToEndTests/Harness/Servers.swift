import Harness
import PostgresStore
import Testing
import Worker

/// The broker and the database server that the whole suite shares.
///
/// Each test has topics, a group and a database of its own in them.
final class Servers: Sendable {
    /// Those of the running suite.
    @TaskLocal static var current: Servers?

    /// The broker; it is disturbed only by tests that own it, which start another.
    let broker: Broker
    /// The database server.
    let postgres: TemporaryPostgres
    /// Where their logs are.
    let folder: Folder

    private init(broker: Broker, postgres: TemporaryPostgres, folder: Folder) {
        self.broker = broker
        self.postgres = postgres
        self.folder = folder
    }

    /// Starts both and has the template migrated.
    static func start() async throws -> Servers {
        let folder = try Folder("attest-end-to-end")
        var options = TemporaryPostgres.Options()
        options.connectionsMax = 100
        options.listensOnLoopback = true
        let servers = Servers(
            broker: try await Broker.start(
                folder: folder, name: "broker", address: Broker.givenAddress),
            postgres: try TemporaryPostgres(options), folder: folder)
        let database = try await Database.create(
            Database.template, on: servers.postgres, migrated: false)
        try await database.migrate(folder)
        return servers
    }

    /// The servers of the running suite, or a failure outside of it.
    static func shared() throws -> Servers {
        guard let current else { throw HarnessFailure("no servers: the suite lacks their trait") }
        return current
    }
}

/// Starts the servers before a suite, and ends them after it.
struct ServersTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let servers = try await Servers.start()
        defer { servers.postgres.remove() }
        try await Servers.$current.withValue(servers) { try await function() }
    }
}

extension Trait where Self == ServersTrait {
    /// A broker and a database server for the tests of this suite.
    static var servers: ServersTrait { ServersTrait() }
}
