package import AppAttest
internal import LibCrypto
package import Worker

// What may be used once: challenges, and tokens for one call.

extension Statement {
    /// Looks up what was used; locks nothing.
    ///
    /// Must come after the statements that lock.
    static let readUsed = Statement(
        name: "attest_read_used",
        sql: "SELECT id FROM attest.used_once WHERE id = ANY ($1::bytea[])")

    /// Inserts what is used, in order.
    ///
    /// What another transaction used meanwhile is an error (23505 of `used_once_pkey`), so that the
    /// COMMIT behind it in the pipeline is not executed.
    static let insertUsed = Statement(
        name: "attest_insert_used",
        sql: """
            INSERT INTO attest.used_once (id, expires_at)
            SELECT * FROM unnest($1::bytea[], $2::timestamptz[]) AS used (id, expires_at)
            ORDER BY used.id
            """)

    /// Deletes some of what expired before an instant.
    static let pruneUsed = Statement(
        name: "attest_prune_used",
        sql: """
            DELETE FROM attest.used_once
            WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM attest.used_once
                WHERE expires_at < $1::timestamptz
                ORDER BY expires_at
                LIMIT $2::int8))
            """)
}

/// Looks up what was used.
func readUsed(_ ids: Set<Digest32>) -> Command {
    Command(.readUsed, .byteStrings(ids.map(\.bytes)))
}

/// What of that was used, as a result has it.
func usedIDs(in rows: Rows?) throws(PostgresError) -> Set<Digest32> {
    var found: Set<Digest32> = []
    try rows?.forEach { (row) throws(PostgresError) in found.insert(try row.digest(0)) }
    return found
}

/// Inserts what is used.
///
/// - Throws: `.poison` if an expiry is out of range.
func insertUsed(_ once: [UsedOnce]) throws(Fault) -> Command {
    var expiries: [Int64] = []
    for used in once {
        guard let expiry = used.expiry.postgresTimestamp else {
            throw Fault(
                operation: "store batch", code: "22008", disposition: .poison,
                message: "the expiry of what is used once is out of range")
        }
        expiries.append(expiry)
    }
    return Command(.insertUsed, .byteStrings(once.map(\.id.bytes)), .timestamps(expiries))
}

extension PostgresKeyStore {
    package func pruneUsed(
        expiredBefore instant: Instant, rowsMax: Int
    ) throws(Fault) -> Int {
        guard let timestamp = instant.postgresTimestamp else { return 0 }
        let prune = Command(
            .pruneUsed, .optionalTimestamp(timestamp), .int8(Int64(rowsMax)))
        return try perform("prune what was used") { (connection) throws(PostgresError) in
            let results = try connection.run(self.beginning() + [prune, Command(.commit)])
            try requireCommit(results.last)
            return results.dropLast().last?.changedCount ?? 0
        }
    }
}
