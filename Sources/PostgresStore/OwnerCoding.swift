internal import AppAttest
internal import Worker

// The owners whose keys are counted: their locks, and when their keys were registered.

extension Statement {
    /// Takes the locks of owners, to the end of the transaction; in the order given.
    ///
    /// An owner has no row that could be locked. Whoever waited sees, in the next statement, the
    /// keys that the holder has stored.
    static let lockOwners = Statement(
        name: "attest_lock_owners",
        sql: """
            SELECT pg_catalog.pg_advisory_xact_lock(owners.number)
            FROM unnest($1::int8[]) AS owners (number)
            """)

    /// Reads when the newest keys of owners were stored first; locks nothing.
    ///
    /// Must come after the statement that locks the owners.
    static let readOwned = Statement(
        name: "attest_read_owned",
        sql: """
            SELECT wanted.place, (extract(epoch FROM owned.created_at) * 1000)::int8
            FROM unnest($1::text[], $2::text[], $3::int8[]) WITH ORDINALITY
                AS wanted (app_id, subject, most, place)
            CROSS JOIN LATERAL (
                SELECT keys.created_at
                FROM attest.keys AS keys
                WHERE keys.app_id = wanted.app_id AND keys.subject = wanted.subject
                ORDER BY keys.created_at DESC
                LIMIT wanted.most) AS owned
            """)
}

/// Locks owners in the order of their numbers, the same in every transaction.
func lockOwners(_ owners: [KeyOwner]) -> Command {
    Command(.lockOwners, .int8s(Set(owners.map(\.lockNumber)).sorted()))
}

/// Reads of each owner so many keys.
func readOwned(_ owners: [(key: KeyOwner, value: Int)]) -> Command {
    Command(
        .readOwned, .texts(owners.map(\.key.appID)), .texts(owners.map(\.key.subject)),
        .int8s(owners.map { Int64($0.value) }))
}

/// When the keys of a result were registered, by their owners, of whom each has an entry.
func registrationTimes(
    in rows: Rows?, of owners: [KeyOwner]
) throws(PostgresError) -> [KeyOwner: [Instant]] {
    var found = Dictionary(uniqueKeysWithValues: owners.map { ($0, [Instant]()) })
    try rows?.forEach { (row) throws(PostgresError) in
        guard let place = Int(exactly: try row.integer(0, as: Int64.self)),
            owners.indices.contains(place - 1)
        else { throw row.unexpected(0) }
        found[owners[place - 1]]?.append(Instant(milliseconds: try row.integer(1)))
    }
    return found
}
