// The SQL of the `keys` commands. Locks in the workers' order: keys by key id, then inbox rows by
// request.

extension Statement {
    private static let recordColumns = """
        SELECT \(keyColumns),
            (extract(epoch FROM keys.created_at) * 1000)::int8,
            (extract(epoch FROM attestations.attested_at) * 1000)::int8,
            attestations.platform, attestations.os_version, octet_length(attestations.receipt),
            withdrawals.reason, withdrawals.withdrawn_by,
            (extract(epoch FROM withdrawals.withdrawn_at) * 1000)::int8,
            moves.reason, moves.moved_by, (extract(epoch FROM moves.moved_at) * 1000)::int8,
            (extract(epoch FROM receipts.created_at) * 1000)::int8,
            (extract(epoch FROM receipts.expires_at) * 1000)::int8, receipts.metric,
            (extract(epoch FROM receipts.metric_as_of) * 1000)::int8,
            receipts.seen_on - date '1970-01-01', receipts.last_result,
            (extract(epoch FROM receipts.next_attempt) * 1000)::int8, receipts.ended
        FROM attest.keys AS keys
        LEFT JOIN attest.attestations AS attestations ON attestations.key_id = keys.key_id
        LEFT JOIN attest.withdrawals AS withdrawals ON withdrawals.key_id = keys.key_id
        LEFT JOIN attest.receipts AS receipts ON receipts.key_id = keys.key_id
        LEFT JOIN LATERAL (
            SELECT key_moves.reason, key_moves.moved_by, key_moves.moved_at
            FROM attest.key_moves AS key_moves
            WHERE key_moves.key_id = keys.key_id
            ORDER BY key_moves.move_id DESC
            LIMIT 1) AS moves ON true
        """

    /// Reads all that is stored of keys; locks nothing.
    static let readRecords = Statement(
        name: "attest_read_records",
        sql: recordColumns + "\nWHERE keys.key_id = ANY ($1::bytea[])")

    /// Reads a page of keys behind one, in order; locks nothing.
    ///
    /// Behind the empty key id lie all. GREATEST leaves NULL out of account.
    static let listRecords = Statement(
        name: "attest_list_records",
        sql: recordColumns + """

            WHERE keys.key_id > $1
                AND ($2::text IS NULL OR keys.app_id = $2)
                AND ($3::text IS NULL OR keys.environment = $3)
                AND ($4::text IS NULL OR keys.status = $4)
                AND ($5::text IS NULL OR keys.subject = $5)
                AND ($6::timestamptz IS NULL
                    OR GREATEST(keys.created_at, withdrawals.withdrawn_at) >= $6)
            ORDER BY keys.key_id
            LIMIT $7::int8
            """)

    /// Revokes keys whose rows are locked.
    static let revokeKeys = Statement(
        name: "attest_revoke_keys",
        sql: "UPDATE attest.keys SET status = 'revoked' WHERE key_id = ANY ($1::bytea[])")

    /// Gives keys whose rows are locked to another owner.
    static let moveKeys = Statement(
        name: "attest_move_keys",
        sql: "UPDATE attest.keys SET subject = $2 WHERE key_id = ANY ($1::bytea[])")

    /// Notes from whom to whom keys go, why, when and by whom; the keys' rows are locked.
    static let recordMoves = Statement(
        name: "attest_record_moves",
        sql: """
            INSERT INTO attest.key_moves (key_id, from_subject, to_subject, reason)
            SELECT keys.key_id, keys.subject, $2, $3
            FROM attest.keys AS keys
            WHERE keys.key_id = ANY ($1::bytea[])
            ORDER BY keys.key_id
            """)

    /// Takes out of the notes on moves what may name a person; the keys' rows are locked.
    static let forgetMoves = Statement(
        name: "attest_forget_moves",
        sql: """
            UPDATE attest.key_moves SET from_subject = NULL, to_subject = NULL, reason = NULL
            WHERE key_id = ANY ($1::bytea[])
            """)

    /// Makes tombstones of keys whose rows are locked; the sign count stays, as it never falls.
    static let eraseKeys = Statement(
        name: "attest_erase_keys",
        sql: """
            UPDATE attest.keys
            SET status = 'erased', public_key = '', subject = NULL, certificate_serial = NULL,
                attested_on = NULL, last_used_on = NULL, reattested = NULL
            WHERE key_id = ANY ($1::bytea[])
            """)

    /// Deletes what the last attestations of keys told; the keys' rows are locked.
    static let deleteAttestations = Statement(
        name: "attest_delete_attestations",
        sql: "DELETE FROM attest.attestations WHERE key_id = ANY ($1::bytea[])")

    /// Notes why, when and by whom keys were taken out of use; the keys' rows are locked.
    static let recordWithdrawals = Statement(
        name: "attest_record_withdrawals",
        sql: """
            INSERT INTO attest.withdrawals (key_id, status, reason)
            SELECT withdrawn.key_id, $2, $3
            FROM unnest($1::bytea[]) AS withdrawn (key_id)
            ORDER BY withdrawn.key_id
            ON CONFLICT (key_id) DO UPDATE
                SET status = EXCLUDED.status, reason = EXCLUDED.reason,
                    withdrawn_by = EXCLUDED.withdrawn_by, withdrawn_at = EXCLUDED.withdrawn_at
            """)

    /// How many blocks the inbox has.
    static let measureInbox = Statement(
        name: "attest_measure_inbox",
        sql: """
            SELECT pg_relation_size('attest.inbox') / current_setting('block_size')::int8
            """)

    /// Finds the verdicts in a range of blocks that name one of these keys; locks their rows.
    ///
    /// The bytes are `"keyId":"`, which no text inside a verdict can hold, as quotes in it are
    /// escaped; behind them are the 44 characters of the key id. No index serves this: it would
    /// cost every request, and erasures are rare and can wait for a scan.
    static let findVerdicts = Statement(
        name: "attest_find_verdicts",
        sql: """
            SELECT request, verdict
            FROM attest.inbox
            WHERE ctid >= $1::tid AND ctid < $2::tid
                AND substring(verdict FROM
                    position('\\x226b65794964223a22'::bytea IN verdict) + 9 FOR 44)
                    = ANY ($3::bytea[])
            ORDER BY request
            FOR UPDATE
            """)

    /// Replaces verdicts whose rows are locked.
    static let replaceVerdicts = Statement(
        name: "attest_replace_verdicts",
        sql: """
            UPDATE attest.inbox AS inbox
            SET verdict = erased.verdict
            FROM unnest($1::uuid[], $2::bytea[]) AS erased (request, verdict)
            WHERE inbox.request = erased.request
            """)
}
