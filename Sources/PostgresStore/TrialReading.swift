package import AppAttest
package import Worker

// What a trial of a policy reads; nothing is locked, and nothing changed.

extension Statement {
    /// Reads the verdicts of the days decided last; of one day, those that were stored last come
    /// first, as far as the disk has kept their order.
    static let readLatest = Statement(
        name: "attest_read_latest",
        sql: """
            SELECT inbox.verdict
            FROM attest.inbox AS inbox
            ORDER BY inbox.decided_on DESC
            LIMIT $1::int8
            """)
}

extension PostgresKeyStore {
    /// The verdicts that were stored last, the newest first.
    ///
    /// - Parameter most: how many at the most.
    /// - Returns: the verdicts, byte for byte.
    /// - Throws: `.retry` when the server could not be had.
    package func latestVerdicts(_ most: Int) throws(Fault) -> [[UInt8]] {
        let command = Command(.readLatest, .int8(Int64(most)))
        return try perform("read verdicts") { (connection) throws(PostgresError) in
            var verdicts: [[UInt8]] = []
            try connection.run([command]).first?.forEach { (row) throws(PostgresError) in
                verdicts.append(try row.bytes(0))
            }
            return verdicts
        }
    }

    /// When the newest keys of owners were registered; nobody is kept from adding more.
    ///
    /// - Parameter owners: each with how many of its keys matter.
    /// - Returns: the moments by owner, the newest first.
    /// - Throws: `.retry` when the server could not be had.
    package func registrations(
        of owners: [KeyOwner: Int]
    ) throws(Fault) -> [KeyOwner: [Instant]] {
        guard !owners.isEmpty else { return [:] }
        let wanted = Array(owners)
        return try perform("count keys") { (connection) throws(PostgresError) in
            try registrationTimes(
                in: connection.run([readOwned(wanted)]).first, of: wanted.map(\.key))
        }
    }
}
