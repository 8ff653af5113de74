import Harness
import PostgresStore
import Worker

/// A database server of one's own for a test that disturbs it, with a database in it.
struct OwnPostgres {
    let server: TemporaryPostgres
    let database: Database
    let folder: Folder

    /// Starts one.
    ///
    /// - Parameters:
    ///   - name: the database's name.
    ///   - parent: where the server's folder is made, if not in the usual place.
    /// - Returns: the running server with the schema in its database.
    /// - Throws: when one of them can't be made.
    static func start(_ name: String, parent: String? = nil) async throws -> OwnPostgres {
        var options = TemporaryPostgres.Options()
        options.parent = parent
        let folder = try Folder("attest-\(name)")
        let server = try TemporaryPostgres(options)
        let database = try await Database.create(name, on: server, migrated: false)
        try await database.migrate(folder)
        return OwnPostgres(server: server, database: database, folder: folder)
    }

    /// Copies the data of the stopped server, or puts a copy in their place.
    func copyData(from source: String, to target: String) async throws {
        let (source, target) = (server.folder + "/" + source, server.folder + "/" + target)
        try await PostgresTools.run(["rm", "-rf", target], beside: server, folder: folder)
        try await PostgresTools.run(["cp", "-a", source, target], beside: server, folder: folder)
    }
}

extension World {
    /// Sends a load and waits until it is answered and committed.
    func send(
        _ load: Load, _ oracle: Oracle, _ workers: [ChildProcess], within limit: Duration
    ) async throws {
        try send(load.requests.map(\.record))
        try await oracle.waitUntilAnswered(within: limit, workers)
    }
}
