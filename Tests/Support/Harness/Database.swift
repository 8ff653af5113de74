package import PostgresStore

/// A database of its own for one test.
package struct Database: Sendable {
    /// Where it is: its server's socket.
    package let conninfo: String
    /// Its name.
    package let name: String

    /// A database that is there.
    package init(conninfo: String, name: String) {
        self.conninfo = conninfo
        self.name = name
    }

    /// The name of the database that others are copied from when the schema shall be in place.
    package static let template = "migrated"

    /// Creates one.
    ///
    /// - Parameters:
    ///   - name: what it shall be called.
    ///   - server: where.
    ///   - migrated: whether the schema shall be in place.
    /// - Returns: the database.
    /// - Throws: ``HarnessFailure`` with the client's words.
    package static func create(
        _ name: String, on server: TemporaryPostgres, migrated: Bool = true
    ) async throws -> Database {
        let template = migrated ? " TEMPLATE \(template)" : ""
        let root = Database(conninfo: server.conninfo(), name: "postgres")
        try await root.query("CREATE DATABASE \"\(name)\"\(template)")
        return Database(conninfo: server.conninfo(database: name), name: name)
    }

    /// Executes SQL with the server's own client, so that the worker's code can't hide a fault.
    ///
    /// - Parameter sql: one statement.
    /// - Returns: its rows, each split into columns; NULL is an empty text.
    /// - Throws: ``HarnessFailure`` with the client's words.
    @discardableResult
    package func query(_ sql: String) async throws -> [[String]] {
        let folder = try Folder("attest-psql")
        let client = try await ChildProcess.start(
            "psql",
            [
                "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", conninfo, "-c",
                sql,
            ],
            folder: folder, name: "psql")
        let end = try await client.waitForEnd(within: .seconds(30))
        guard end == .exited(0) else { throw HarnessFailure("\(sql): \(end); \(client)") }
        return client.output.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
