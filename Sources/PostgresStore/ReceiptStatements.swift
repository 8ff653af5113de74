// The SQL of receipts and their refresh. Locks: the pace, then receipts; lanes lock keys, then
// receipts by key id. Nobody who holds a receipt's row waits for another row.

extension Statement {
    /// Which receipts stand where, for verdicts; locks nothing.
    static let readStandings = Statement(
        name: "attest_read_standings",
        sql: """
            SELECT key_id, seen_on - date '1970-01-01', metric,
                (extract(epoch FROM metric_as_of) * 1000)::int8
            FROM attest.receipts
            WHERE key_id = ANY ($1::bytea[])
            """)

    /// Notes the receipts that came with attestations; their keys' rows are locked or new.
    ///
    /// Once Apple gave a receipt, the chain of those goes on: nobody can cut it off by attesting
    /// the key again with a damaged one. Before that, and where the chain has ended, the newest
    /// counts, and a try that is under way finds that the lease is another one. Apple is asked once
    /// a day all the same.
    static let storeReceipts = Statement(
        name: "attest_store_receipts",
        sql: """
            INSERT INTO attest.receipts AS receipts
                (key_id, app_id, created_at, not_before, expires_at, seen_on, next_attempt)
            SELECT fresh.key_id, fresh.app_id, fresh.created_at, fresh.not_before,
                fresh.expires_at, date '1970-01-01' + fresh.seen_on, fresh.next_attempt
            FROM unnest($1::bytea[], $2::text[], $3::timestamptz[], $4::timestamptz[],
                $5::timestamptz[], $6::int4[], $7::timestamptz[])
                AS fresh (key_id, app_id, created_at, not_before, expires_at, seen_on, next_attempt)
            ORDER BY fresh.key_id
            ON CONFLICT (key_id) DO UPDATE
                SET receipt = NULL, created_at = EXCLUDED.created_at,
                    not_before = EXCLUDED.not_before, expires_at = EXCLUDED.expires_at,
                    seen_on = GREATEST(receipts.seen_on, EXCLUDED.seen_on), failures = 0,
                    ended = NULL, lease = receipts.lease + 1,
                    next_attempt = GREATEST(EXCLUDED.next_attempt,
                        LEAST(receipts.attempted_at + interval '1 day', receipts.next_attempt))
                WHERE receipts.created_at <= EXCLUDED.created_at
                    AND (receipts.receipt IS NULL OR receipts.ended IS NOT NULL)
            """)

    /// Notes that keys were seen; their rows are locked.
    ///
    /// Of a key registered before there was this table, or while receipts were not refreshed, it
    /// makes the row: its times are a guess until the receipt is read for the first time.
    static let noteSeen = Statement(
        name: "attest_note_seen",
        sql: """
            INSERT INTO attest.receipts AS receipts
                (key_id, app_id, created_at, expires_at, seen_on, next_attempt)
            SELECT seen.key_id, keys.app_id, attestations.attested_at,
                attestations.attested_at + interval '90 days', date '1970-01-01' + seen.day,
                seen.due
            FROM unnest($1::bytea[], $2::int4[], $3::timestamptz[]) AS seen (key_id, day, due)
            JOIN attest.keys AS keys ON keys.key_id = seen.key_id
            JOIN attest.attestations AS attestations ON attestations.key_id = seen.key_id
            ORDER BY seen.key_id
            ON CONFLICT (key_id) DO UPDATE
                SET seen_on = EXCLUDED.seen_on,
                    next_attempt = CASE
                        WHEN receipts.next_attempt IS NULL AND receipts.ended IS NULL
                        THEN GREATEST(EXCLUDED.next_attempt, receipts.not_before)
                        ELSE receipts.next_attempt END
                WHERE receipts.seen_on < EXCLUDED.seen_on
            """)

    /// Reads the pace of a fleet, or begins it; locks its row, so that one worker takes at a time.
    static let lockPace = Statement(
        name: "attest_lock_pace",
        sql: """
            INSERT INTO attest.refresh_pace AS pace
                (fleet, token_thousandths, filled_at, day, used_today, troubles)
            VALUES ($1, $2, $3, $4, 0, 0)
            ON CONFLICT (fleet) DO UPDATE SET fleet = EXCLUDED.fleet
            RETURNING token_thousandths, (extract(epoch FROM filled_at) * 1000)::int8, day,
                used_today, (extract(epoch FROM paused_until) * 1000)::int8, troubles
            """)

    /// Stores the pace, whose row is locked.
    static let savePace = Statement(
        name: "attest_save_pace",
        sql: """
            UPDATE attest.refresh_pace
            SET token_thousandths = $2, filled_at = $3, day = $4, used_today = $5,
                paused_until = $6, troubles = $7
            WHERE fleet = $1
            """)

    /// Finds due receipts, those of each app in the order in which they are due; locks their rows,
    /// and skips those that are locked.
    ///
    /// A receipt whose change of the metric was not told waits until it is.
    static let findDueReceipts = Statement(
        name: "attest_find_due_receipts",
        sql: """
            SELECT due.key_id, due.seen_on - date '1970-01-01',
                (extract(epoch FROM due.expires_at) * 1000)::int8, keys.status,
                due.has_receipt OR EXISTS (
                    SELECT FROM attest.attestations AS attestations
                    WHERE attestations.key_id = due.key_id)
            FROM unnest($1::text[]) AS app (app_id)
            CROSS JOIN LATERAL (
                SELECT receipts.key_id, receipts.seen_on, receipts.expires_at,
                    receipts.next_attempt, receipts.receipt IS NOT NULL AS has_receipt
                FROM attest.receipts AS receipts
                WHERE receipts.app_id = app.app_id AND receipts.next_attempt <= $2
                    AND receipts.metric IS NOT DISTINCT FROM receipts.told_metric
                ORDER BY receipts.next_attempt
                LIMIT $3::int8
                FOR UPDATE SKIP LOCKED) AS due
            JOIN attest.keys AS keys ON keys.key_id = due.key_id
            ORDER BY due.next_attempt
            LIMIT $3::int8
            """)

    /// What tells whether a receipt may be taken by hand; locks its row.
    static let findReceiptByHand = Statement(
        name: "attest_find_receipt_by_hand",
        sql: """
            SELECT (extract(epoch FROM attempted_at) * 1000)::int8,
                (extract(epoch FROM next_attempt) * 1000)::int8,
                (extract(epoch FROM not_before) * 1000)::int8
            FROM attest.receipts
            WHERE key_id = $1 AND app_id = $2
            FOR UPDATE
            """)

    /// Takes receipts, which are this worker's until `$3`; their rows are locked.
    static let takeReceipts = Statement(
        name: "attest_take_receipts",
        sql: """
            UPDATE attest.receipts AS receipts
            SET lease = receipts.lease + 1, attempted_at = $2, next_attempt = $3, ended = NULL
            FROM unnest($1::bytea[]) AS taken (key_id)
            JOIN attest.keys AS keys ON keys.key_id = taken.key_id AND keys.status = 'active'
            LEFT JOIN attest.attestations AS attestations ON attestations.key_id = taken.key_id
            WHERE receipts.key_id = taken.key_id
            RETURNING receipts.key_id, receipts.app_id, keys.environment, keys.public_key,
                receipts.lease, COALESCE(receipts.receipt, attestations.receipt),
                (extract(epoch FROM receipts.created_at) * 1000)::int8,
                (extract(epoch FROM receipts.not_before) * 1000)::int8,
                (extract(epoch FROM receipts.expires_at) * 1000)::int8, receipts.metric,
                (extract(epoch FROM receipts.metric_as_of) * 1000)::int8, receipts.failures
            """)

    /// Takes receipts out of the schedule; their rows are locked.
    static let parkReceipts = Statement(
        name: "attest_park_receipts",
        sql: """
            UPDATE attest.receipts AS receipts
            SET next_attempt = NULL, ended = COALESCE(parked.ended, receipts.ended)
            FROM unnest($1::bytea[], $2::text[]) AS parked (key_id, ended)
            WHERE receipts.key_id = parked.key_id
            """)

    /// Stores what came of a try, where the receipt is still this worker's.
    static let settleReceipt = Statement(
        name: "attest_settle_receipt",
        sql: """
            UPDATE attest.receipts
            SET receipt = COALESCE($3, receipt), created_at = $4, not_before = $5, expires_at = $6,
                metric = $7, metric_as_of = $8, failures = $9, next_attempt = $10, ended = $11,
                last_result = $12
            WHERE key_id = $1 AND lease = $2
            """)

    /// Makes receipts due again that were taken for nothing.
    static let giveBackReceipts = Statement(
        name: "attest_give_back_receipts",
        sql: """
            UPDATE attest.receipts AS receipts
            SET next_attempt = $3
            FROM unnest($1::bytea[], $2::int8[]) AS back (key_id, lease)
            WHERE receipts.key_id = back.key_id AND receipts.lease = back.lease
            """)

    /// Finds changes of the metric that were not told; locks nothing.
    static let findUntold = Statement(
        name: "attest_find_untold",
        sql: """
            SELECT receipts.key_id, receipts.app_id, keys.environment, keys.subject,
                receipts.metric, receipts.told_metric,
                (extract(epoch FROM receipts.metric_as_of) * 1000)::int8
            FROM attest.receipts AS receipts
            JOIN attest.keys AS keys ON keys.key_id = receipts.key_id
            WHERE receipts.metric IS DISTINCT FROM receipts.told_metric
                AND receipts.app_id = ANY ($1::text[]) AND receipts.attempted_at <= $2
            ORDER BY receipts.key_id
            LIMIT $3::int8
            """)

    /// Notes that changes were told.
    static let noteTold = Statement(
        name: "attest_note_told",
        sql: """
            UPDATE attest.receipts AS receipts
            SET told_metric = told.metric
            FROM unnest($1::bytea[], $2::int8[]) AS told (key_id, metric)
            WHERE receipts.key_id = told.key_id
            """)

    /// Since when the longest-waiting receipt is due; locks nothing.
    static let oldestDue = Statement(
        name: "attest_oldest_due",
        sql: """
            SELECT (extract(epoch FROM min(first.next_attempt)) * 1000)::int8
            FROM unnest($1::text[]) AS app (app_id)
            CROSS JOIN LATERAL (
                SELECT receipts.next_attempt
                FROM attest.receipts AS receipts
                WHERE receipts.app_id = app.app_id AND receipts.next_attempt <= $2
                ORDER BY receipts.next_attempt
                LIMIT 1) AS first
            """)

    /// Deletes receipts of keys whose rows are locked.
    static let deleteReceipts = Statement(
        name: "attest_delete_receipts",
        sql: "DELETE FROM attest.receipts WHERE key_id = ANY ($1::bytea[])")
}
