internal import CPQ

/// How to reach and use the database.
///
/// Its description never shows the connection string, which may hold a password.
package struct PostgresSettings: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A libpq connection string or URI; empty means libpq's own PG* environment alone.
    package var conninfo: String
    /// The password where the connection string has none; empty: libpq's own means have it, or none
    /// is needed.
    package var password = ""
    /// The consumer group whose progress is kept.
    package var group: String
    /// Who claims partitions, for people who look into the table.
    package var owner: String
    /// For how many days the inbox keeps verdicts; at least the request topics' retention, the
    /// group's offset retention and the longest outage together.
    package var inboxRetentionDays = 30
    /// For how many days decisions are kept, where they are.
    package var auditRetentionDays = 400
    /// How long one host may take to accept a connection; libpq makes 2 s of less.
    package var connectTimeoutSeconds = 5
    /// How long a statement waits for a row that another transaction holds.
    package var lockTimeoutMilliseconds = 2_000
    /// How long the server works on one statement.
    package var statementTimeoutMilliseconds = 10_000
    /// After how long the server ends a session that sits in a transaction and says nothing: a
    /// frozen worker must not hold its rows for ever.
    package var idleInTransactionTimeoutMilliseconds = 10_000
    /// How long an answer may take before the connection is given up for dead; longer than the
    /// statement timeout, so that the server's own error comes first.
    package var replyTimeoutMilliseconds = 15_000
    /// Whether `synchronous_commit = off` is tolerated: a crash of the server then forgets sign
    /// counts that were accepted.
    package var allowsAsynchronousCommit = false
    /// Whether a pooler in transaction mode stands in between: then no prepared statements, and
    /// settings for one transaction at a time.
    package var isPooled = false

    /// Settings with defaults for all but the three that have none.
    package init(conninfo: String, group: String, owner: String) {
        self.conninfo = conninfo
        self.group = group
        self.owner = owner
    }

    /// The settings without the connection string and the password.
    package var description: String {
        "PostgresSettings(group: \(group), owner: \(owner), retention: \(inboxRetentionDays) days)"
    }

    /// The same as ``description``.
    package var debugDescription: String { description }
}

extension PostgresSettings {
    /// The version of libpq that is loaded: `15.14`.
    package static var libraryVersion: String {
        // Two numbers since PostgreSQL 10: 150014 is 15.14.
        let version = PQlibVersion()
        return "\(version / 10_000).\(version % 10_000)"
    }
}
