internal import LibCrypto
package import Worker

/// Brings a database's schema to what this binary needs.
///
/// Each step runs in a transaction of its own under an advisory lock, so that two migrations at
/// the same time do each step once, and one that dies leaves no half of a step. Steps only add:
/// workers of the version before go on working.
package enum Migrations {
    /// How long a step may take, and with it the wait for another migration.
    package static let stepMilliseconds = 600_000

    /// Compares the database's schema with this binary's; changes nothing.
    ///
    /// - Parameter settings: where the database is.
    /// - Returns: where it stands.
    /// - Throws: `.retry` if the server can't be reached.
    package static func state(_ settings: PostgresSettings) throws(Fault) -> SchemaState {
        try perform("read schema version", settings) { (connection) throws(PostgresError) in
            try schemaState(connection)
        }
    }

    /// Applies what is missing.
    ///
    /// - Parameters:
    ///   - settings: where the database is; the role must be allowed to create tables.
    ///   - dryRun: whether to roll back at the end: tells whether the steps would succeed.
    /// - Returns: the steps that were applied, in order.
    /// - Throws: `.retry` if the server can't be reached or another migration takes too long,
    ///   `.stop(.incompatible)` if a step was applied from another text, or fails.
    package static func apply(
        _ settings: PostgresSettings, dryRun: Bool = false
    ) throws(Fault) -> [Migration] {
        try perform("migrate", settings) { (connection) throws(PostgresError) in
            var applied: [Migration] = []
            try begin(connection)
            while let step = try missing(connection).first {
                try connection.script(String(decoding: step.script, as: UTF8.self))
                let record = Command(
                    .recordVersion, .int4(step.version), .text(step.name),
                    .bytes(step.digest.bytes))
                if dryRun {
                    _ = try connection.run([record])
                } else {
                    try requireCommit(connection.run([record, Command(.commit)]).last)
                    try begin(connection)
                }
                applied.append(step)
            }
            if dryRun {
                _ = try connection.run([Command(.rollback)])
            } else {
                try requireCommit(connection.run([Command(.commit)]).last)
            }
            return applied
        }
    }

    // MARK: - Steps

    private static func perform<Result>(
        _ operation: String, _ settings: PostgresSettings,
        _ body: (Connection) throws(PostgresError) -> Result
    ) throws(Fault) -> Result {
        var settings = settings
        settings.replyTimeoutMilliseconds = stepMilliseconds
        do {
            // A connection of its own: when it closes, an open transaction is rolled back.
            return try body(try Connection(settings))
        } catch {
            throw error.fault(operation)
        }
    }

    private static func begin(_ connection: Connection) throws(PostgresError) {
        _ = try connection.run([Command(.begin), Command(.lockMigrations)])
        let (hasSchema, hasTable) = try existence(connection)
        // CREATE SCHEMA IF NOT EXISTS would ask for a privilege that isn't needed if it exists.
        if !hasSchema { _ = try connection.run([Command(.createSchema)]) }
        if !hasTable { _ = try connection.run([Command(.createVersionTable)]) }
    }

    private static func missing(_ connection: Connection) throws(PostgresError) -> [Migration] {
        switch try schemaState(connection) {
        case .behind(let missing): return missing
        case .current, .ahead: return []
        case .altered(let version):
            throw PostgresError(
                .unexpectedAnswer("step \(version) of the schema was applied from another text"))
        }
    }

    private static func schemaState(
        _ connection: Connection
    ) throws(PostgresError) -> SchemaState {
        guard try existence(connection).hasTable else { return .behind(missing: Migration.all) }
        var applied: [Int32: Digest32] = [:]
        try connection.run([Command(.readVersions)]).first?.forEach {
            (row) throws(PostgresError) in
            applied[try row.integer(0)] = try row.digest(1)
        }
        for step in Migration.all {
            if let digest = applied[step.version], digest != step.digest {
                return .altered(version: step.version)
            }
        }
        let missing = Migration.all.filter { applied[$0.version] == nil }
        if !missing.isEmpty { return .behind(missing: missing) }
        if let newest = applied.keys.max(), newest > Migration.all.last?.version ?? 0 {
            return .ahead(version: newest)
        }
        return .current
    }

    private static func existence(
        _ connection: Connection
    ) throws(PostgresError) -> (hasSchema: Bool, hasTable: Bool) {
        var found = (hasSchema: false, hasTable: false)
        try connection.run([Command(.findSchema)]).first?.forEach { (row) throws(PostgresError) in
            found = (try row.bytes(0) == [1], try row.bytes(1) == [1])
        }
        return found
    }
}

extension Statement {
    /// Waits until no other migration is under way; the lock ends with the transaction.
    ///
    /// The number is that of "attest" in ASCII.
    fileprivate static let lockMigrations = Statement(
        name: "attest_lock_migrations",
        sql: """
            SELECT pg_advisory_xact_lock(107152796906356),
                set_config('search_path', 'pg_catalog', true)
            """)

    fileprivate static let findSchema = Statement(
        name: "attest_find_schema",
        sql: """
            SELECT to_regnamespace('attest') IS NOT NULL,
                to_regclass('attest.schema_version') IS NOT NULL
            """)

    fileprivate static let createSchema = Statement(
        name: "attest_create_schema", sql: "CREATE SCHEMA attest")

    fileprivate static let createVersionTable = Statement(
        name: "attest_create_version_table",
        sql: """
            CREATE TABLE attest.schema_version (
                version    integer     NOT NULL PRIMARY KEY,
                name       text        NOT NULL,
                sha256     bytea       NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            )
            """)

    fileprivate static let readVersions = Statement(
        name: "attest_read_versions", sql: "SELECT version, sha256 FROM attest.schema_version")

    fileprivate static let recordVersion = Statement(
        name: "attest_record_version",
        sql: "INSERT INTO attest.schema_version (version, name, sha256) VALUES ($1, $2, $3)")
}
