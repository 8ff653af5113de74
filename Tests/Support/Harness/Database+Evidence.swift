extension Database {
    /// The inbox, as the oracle looks at it.
    ///
    /// The server digests the bytes and reads the JSON: no code of the worker is in between.
    package func storedVerdicts() async throws -> [StoredVerdict] {
        let rows = try await query(
            """
            SELECT encode(sha256(verdict), 'hex'), json->>'keyId', json->>'signCount',
                json->>'outcome' = 'accepted' AND json->>'type' = 'assertion'
            FROM (SELECT verdict, convert_from(verdict, 'UTF8')::json AS json FROM attest.inbox)
                AS inbox
            """)
        return rows.map { row in
            guard row.count == 4, row[3] == "t" else { return StoredVerdict(sha256: row[0]) }
            return StoredVerdict(sha256: row[0], keyID: row[1], signCount: UInt32(row[2]))
        }
    }

    /// Every key's sign count, by key id in base64.
    package func signCounts() async throws -> [String: UInt32] {
        let rows = try await query(
            "SELECT encode(key_id, 'base64'), sign_count FROM attest.keys")
        return Dictionary(rows.map { ($0[0], UInt32($0[1]) ?? .max) }) { first, _ in first }
    }
}
