internal import LibCrypto
package import Worker

// The audit: what is kept of decisions, and how it is read again.

extension Statement {
    /// Keeps what decisions rest on, unless it is kept already.
    ///
    /// The last lock that a transaction takes: a second worker that keeps the same basis at the
    /// same moment waits for the first, which waits for nothing.
    static let insertBasis = Statement(
        name: "attest_insert_basis",
        sql: """
            INSERT INTO attest.audit_bases (basis, policy, revocations, worker_version)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (basis) DO NOTHING
            """)

    /// Keeps decisions; no other transaction has the same ones.
    static let insertAudit = Statement(
        name: "attest_insert_audit",
        sql: """
            INSERT INTO attest.audit (request, content_digest, basis, facts)
            SELECT decided.request, decided.content_digest, $2, decided.facts
            FROM unnest($1::uuid[], $3::bytea[], $4::bytea[])
                AS decided (request, content_digest, facts)
            """)

    /// Deletes some decisions past the retention.
    static let pruneAudit = Statement(
        name: "attest_prune_audit",
        sql: """
            DELETE FROM attest.audit
            WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM attest.audit
                WHERE decided_at < now() - make_interval(days => $1::int4)
                ORDER BY decided_at
                LIMIT $2::int8))
            """)

    /// Reads what is kept of a request, the latest first; locks nothing.
    static let readAudit = Statement(
        name: "attest_read_audit",
        sql: """
            SELECT (extract(epoch FROM audit.decided_at) * 1000)::int8, audit.content_digest,
                audit.facts, bases.policy, bases.revocations, bases.worker_version
            FROM attest.audit AS audit
            LEFT JOIN attest.audit_bases AS bases ON bases.basis = audit.basis
            WHERE audit.request = $1
            ORDER BY audit.decided_at DESC
            LIMIT 100
            """)

    /// Takes from what is kept of requests all but that it was there.
    static let forgetAudit = Statement(
        name: "attest_forget_audit",
        sql: "UPDATE attest.audit SET facts = $2 WHERE request = ANY ($1::uuid[])")
}

/// Keeps the decisions of a batch; none of its rows is locked by anyone else.
func insertAudit(_ audit: AuditBatch) -> Command {
    Command(
        .insertAudit, .uuids(audit.entries.map(\.identity.storedBytes)),
        .bytes(audit.basis.digest.bytes), .byteStrings(audit.entries.map(\.contentDigest.bytes)),
        .byteStrings(audit.entries.map(\.facts)))
}

/// Keeps what they rested on.
func insertBasis(_ basis: AuditBasis) -> Command {
    Command(
        .insertBasis, .bytes(basis.digest.bytes), .text(basis.policy),
        .optionalBytes(basis.revocations?.bytes), .text(basis.workerVersion))
}

extension PostgresKeyStore {
    /// What is known of a request: its verdict in the inbox, and what the audit kept, latest first.
    ///
    /// - Throws: `.retry` when the server could not be had.
    package func explanation(
        of request: RequestIdentity
    ) throws(Fault) -> (inbox: InboxEntry?, audit: [AuditRecord]) {
        let readInbox = Command(.readInbox, .uuids([request.storedBytes]))
        let readAudit = Command(.readAudit, .uuid(request.storedBytes))
        return try perform("explain") { (connection) throws(PostgresError) in
            let results = try connection.run([readInbox, readAudit])
            guard let first = results.first, let last = results.last, results.count == 2 else {
                throw PostgresError(.unexpectedAnswer("a result is missing"))
            }
            let inbox = try entries(in: first, asked: [request])[request]
            return (inbox, try auditRecords(in: last))
        }
    }
}

private func auditRecords(in rows: Rows) throws(PostgresError) -> [AuditRecord] {
    var found: [AuditRecord] = []
    try rows.forEach { (row) throws(PostgresError) in
        var record = AuditRecord(
            decidedAt: try row.integer(0), contentDigest: try row.digest(1),
            facts: try row.bytes(2), basis: nil)
        if let policy = try row.optionalText(3) {
            record.basis = AuditBasis(
                policy: policy,
                revocations: try row.optionalBytes(4) == nil ? nil : try row.digest(4),
                workerVersion: try row.text(5))
        }
        found.append(record)
    }
    return found
}
