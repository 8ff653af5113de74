// Every SQL text of the data path, and what it locks.
//
// The order of locks, the same in every transaction, so that no two can wait for each other:
//
//     progress rows   by topic (bytes) and partition
//     owners          by the number of their lock (where policy counts their keys)
//     known keys      by key id
//     new keys        by key id        (a unique index makes a second inserter wait)
//     inbox rows      by request       (likewise)
//     used once       by id            (likewise: challenges, tokens for one call)
//     the audit's basis, one           (likewise; the last of all)
//
// Sets of values come as arrays: one text serves every size of a batch. PostgreSQL locks rows in
// the order of ORDER BY, as the locking happens above the sort.

extension Statement {
    /// Opens a transaction.
    ///
    /// READ COMMITTED, so that each statement sees what was committed before *it* began: the look
    /// into the inbox comes after the wait for locks and must see what their holder stored. Not
    /// READ WRITE: an operator's `default_transaction_read_only` shall stop us (SQLSTATE 25006).
    static let begin = Statement(
        name: "attest_begin", sql: "BEGIN ISOLATION LEVEL READ COMMITTED")

    /// Ends a transaction for good.
    ///
    /// Answers the tag ROLLBACK instead of an error if the transaction had failed before.
    static let commit = Statement(name: "attest_commit", sql: "COMMIT")

    /// Ends a transaction without a trace.
    static let rollback = Statement(name: "attest_rollback", sql: "ROLLBACK")

    /// Whether a transaction that began now could write: `off` if so.
    ///
    /// It is `on` too on a standby, whatever the setting says.
    static let probe = Statement(
        name: "attest_probe", sql: "SELECT current_setting('transaction_read_only')")

    /// Settings of the session (`$1` false) or of the transaction (`$1` true).
    ///
    /// `enable_seqscan` off: a plan made while a table was empty would go on reading all of it when
    /// it is large. `jit` off: the cost of a forbidden scan would start the compiler.
    /// `search_path`: nobody else's functions or operators.
    static let configure = Statement(
        name: "attest_configure",
        sql: """
            SELECT current_setting('synchronous_commit'),
                set_config('lock_timeout', $2, $1::int4 = 1),
                set_config('statement_timeout', $3, $1::int4 = 1),
                set_config('idle_in_transaction_session_timeout', $4, $1::int4 = 1),
                set_config('enable_seqscan', 'off', $1::int4 = 1),
                set_config('jit', 'off', $1::int4 = 1),
                set_config('search_path', 'pg_catalog', $1::int4 = 1)
            """)

    /// What the start-up checks hold against our settings; this session is not counted.
    ///
    /// `pg_stat_database`, as every role may read it all.
    static let serverFacts = Statement(
        name: "attest_server_facts",
        sql: """
            SELECT current_setting('synchronous_commit'), current_setting('fsync'),
                current_setting('max_connections')::int8
                    - current_setting('superuser_reserved_connections')::int8 + 1
                    - (SELECT sum(numbackends)::int8 FROM pg_catalog.pg_stat_database)
            """)

    /// Raises epochs, inserting rows that are missing; locks the rows in order.
    static let claim = Statement(
        name: "attest_claim",
        sql: """
            INSERT INTO attest.partition_progress AS progress
                (group_id, topic, partition, epoch, next_offset, published_offset, last_record_ms,
                owner)
            SELECT $1, wanted.topic, wanted.partition, 1, wanted.next_offset, wanted.next_offset,
                0, $2
            FROM unnest($3::text[], $4::int4[], $5::int8[])
                AS wanted (topic, partition, next_offset)
            ORDER BY wanted.topic COLLATE "C", wanted.partition
            ON CONFLICT (group_id, topic, partition) DO UPDATE
                SET epoch = progress.epoch + 1, owner = EXCLUDED.owner, updated_at = now()
            RETURNING topic, partition, epoch, next_offset, published_offset, last_record_ms
            """)

    /// Reads progress rows; locks them in order.
    static let lockProgress = Statement(
        name: "attest_lock_progress",
        sql: """
            SELECT progress.topic, progress.partition, progress.epoch, progress.next_offset,
                progress.published_offset, progress.last_record_ms
            FROM attest.partition_progress AS progress
            JOIN unnest($2::text[], $3::int4[]) AS wanted (topic, partition)
                ON progress.topic = wanted.topic AND progress.partition = wanted.partition
            WHERE progress.group_id = $1
            ORDER BY progress.topic COLLATE "C", progress.partition
            FOR UPDATE OF progress
            """)

    /// What is read of a key, the table being called `keys`; days count from 1970-01-01.
    ///
    /// A key that was stored before there was a day of its attestation has that of its row.
    static let keyColumns = """
        keys.key_id, keys.app_id, keys.environment, keys.public_key, keys.sign_count,
        keys.subject, keys.status, keys.attested_by, keys.certificate_serial,
        CASE WHEN keys.status <> 'erased' THEN
            COALESCE(keys.attested_on, (keys.created_at AT TIME ZONE 'UTC')::date)
            - DATE '1970-01-01' END,
        keys.last_used_on - DATE '1970-01-01', keys.window_count, keys.window_seen,
        keys.reattested
        """

    /// Reads keys; locks them in order.
    static let lockKeys = Statement(
        name: "attest_lock_keys",
        sql: """
            SELECT \(keyColumns)
            FROM attest.keys AS keys
            WHERE keys.key_id = ANY ($1::bytea[])
            ORDER BY keys.key_id
            FOR UPDATE
            """)

    /// Reads keys; locks nothing.
    static let readKeys = Statement(
        name: "attest_read_keys",
        sql: """
            SELECT \(keyColumns)
            FROM attest.keys AS keys
            WHERE keys.key_id = ANY ($1::bytea[])
            """)

    /// Looks requests up; locks nothing.
    ///
    /// Must come after the statements that lock.
    static let readInbox = Statement(
        name: "attest_read_inbox",
        sql: """
            SELECT request, content_digest, verdict
            FROM attest.inbox
            WHERE request = ANY ($1::uuid[])
            """)

    /// Inserts new keys in order.
    ///
    /// A key that another transaction inserted meanwhile is an error (23505 of `keys_pkey`), so
    /// that the COMMIT behind it in the pipeline is not executed.
    static let insertKeys = Statement(
        name: "attest_insert_keys",
        sql: """
            INSERT INTO attest.keys
                (key_id, app_id, environment, public_key, sign_count, subject, status, attested_by,
                certificate_serial, attested_on, last_used_on, reattested)
            SELECT fresh.key_id, fresh.app_id, fresh.environment, fresh.public_key,
                fresh.sign_count, fresh.subject, fresh.status, fresh.attested_by,
                fresh.certificate_serial,
                DATE '1970-01-01' + fresh.attested_day, DATE '1970-01-01' + fresh.used_day,
                false
            FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bytea[], $5::int8[],
                $6::text[], $7::text[], $8::text[], $9::bytea[], $10::int4[],
                $11::int4[])
                AS fresh (key_id, app_id, environment, public_key, sign_count, subject, status,
                    attested_by, certificate_serial, attested_day, used_day)
            ORDER BY fresh.key_id
            """)

    /// Stores what the last attestation of each key told; its key's row is locked or just inserted.
    static let storeAttestations = Statement(
        name: "attest_store_attestations",
        sql: """
            INSERT INTO attest.attestations (key_id, receipt, platform, os_version, attested_at)
            SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[],
                $5::timestamptz[])
                AS fresh (key_id, receipt, platform, os_version, attested_at)
            ORDER BY fresh.key_id
            ON CONFLICT (key_id) DO UPDATE
                SET receipt = EXCLUDED.receipt, platform = EXCLUDED.platform,
                    os_version = EXCLUDED.os_version, attested_at = EXCLUDED.attested_at
            """)

    /// Inserts decided requests in order.
    ///
    /// A request that another transaction stored meanwhile is an error (23505 of `inbox_pkey`), so
    /// that the COMMIT behind it in the pipeline is not executed.
    static let insertInbox = Statement(
        name: "attest_insert_inbox",
        sql: """
            INSERT INTO attest.inbox (request, content_digest, verdict)
            SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::bytea[])
                AS decided (request, content_digest, verdict)
            ORDER BY decided.request
            """)

    /// Stores that keys were used, whose rows are locked or just inserted.
    ///
    /// It raises sign counts and days, and lowers none; what was accepted below a sign count stays
    /// so, and a key that was attested again. GREATEST leaves NULL out of account.
    static let recordUses = Statement(
        name: "attest_record_uses",
        sql: """
            UPDATE attest.keys AS keys
            SET sign_count = GREATEST(keys.sign_count, used.sign_count),
                last_used_on = GREATEST(keys.last_used_on, DATE '1970-01-01' + used.used_day),
                attested_on = GREATEST(keys.attested_on, DATE '1970-01-01' + used.attested_day),
                reattested = keys.reattested OR used.attested_day IS NOT NULL,
                window_count = GREATEST(keys.window_count, used.window_count),
                window_seen = CASE
                    WHEN used.window_count = keys.window_count
                        THEN keys.window_seen | used.window_seen
                    WHEN used.window_count < keys.window_count OR used.window_count IS NULL
                        THEN keys.window_seen
                    ELSE used.window_seen END
            FROM unnest($1::bytea[], $2::int8[], $3::int4[], $4::int4[], $5::int8[], $6::int8[])
                AS used (key_id, sign_count, used_day, attested_day, window_count, window_seen)
            WHERE keys.key_id = used.key_id
            """)

    /// Moves progress rows that are locked; never backwards, and only under the epoch given.
    static let advanceProgress = Statement(
        name: "attest_advance_progress",
        sql: """
            UPDATE attest.partition_progress AS progress
            SET next_offset = GREATEST(progress.next_offset, decided.next_offset),
                published_offset = GREATEST(progress.published_offset, decided.published_offset),
                last_record_ms = GREATEST(progress.last_record_ms, decided.last_record_ms),
                updated_at = now()
            FROM unnest($2::text[], $3::int4[], $4::int8[], $5::int8[], $6::int8[], $7::int8[])
                AS decided (topic, partition, epoch, next_offset, published_offset, last_record_ms)
            WHERE progress.group_id = $1 AND progress.topic = decided.topic
                AND progress.partition = decided.partition AND progress.epoch = decided.epoch
            """)

    /// Sets progress rows that are locked to exactly this offset, under the epoch given.
    static let resetProgress = Statement(
        name: "attest_reset_progress",
        sql: """
            UPDATE attest.partition_progress AS progress
            SET next_offset = wanted.next_offset, published_offset = wanted.next_offset,
                last_record_ms = 0, updated_at = now()
            FROM unnest($2::text[], $3::int4[], $4::int8[], $5::int8[])
                AS wanted (topic, partition, epoch, next_offset)
            WHERE progress.group_id = $1 AND progress.topic = wanted.topic
                AND progress.partition = wanted.partition AND progress.epoch = wanted.epoch
            """)

    /// Deletes some rows past the retention; skips rows that are locked instead of waiting.
    ///
    /// By place (ctid): a row moves only when its key is erased, and what moves while this looks is
    /// locked or not seen, and left to the next time.
    static let pruneInbox = Statement(
        name: "attest_prune_inbox",
        sql: """
            DELETE FROM attest.inbox
            WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM attest.inbox
                WHERE decided_on < (now() AT TIME ZONE 'UTC')::date - $1::int4
                ORDER BY decided_on
                LIMIT $2::int8
                FOR UPDATE SKIP LOCKED))
            """)

    /// Counts the rows past so many days, by day; locks nothing.
    static let countInbox = Statement(
        name: "attest_count_inbox",
        sql: """
            SELECT decided_on::text, count(*)
            FROM attest.inbox
            WHERE decided_on < (now() AT TIME ZONE 'UTC')::date - $1::int4
            GROUP BY decided_on
            ORDER BY decided_on
            """)

    /// Raises epochs and says from where each partition is to be read, inserting rows that are
    /// missing; locks the rows in order.
    ///
    /// The next offset is never lowered: what was decided before it is not decided again.
    static let placeProgress = Statement(
        name: "attest_place_progress",
        sql: """
            INSERT INTO attest.partition_progress AS progress
                (group_id, topic, partition, epoch, next_offset, published_offset, last_record_ms,
                owner)
            SELECT $1, wanted.topic, wanted.partition, 1, wanted.next_offset, wanted.next_offset,
                0, $2
            FROM unnest($3::text[], $4::int4[], $5::int8[])
                AS wanted (topic, partition, next_offset)
            ORDER BY wanted.topic COLLATE "C", wanted.partition
            ON CONFLICT (group_id, topic, partition) DO UPDATE
                SET epoch = progress.epoch + 1, owner = EXCLUDED.owner, updated_at = now(),
                    next_offset = GREATEST(progress.next_offset, EXCLUDED.next_offset),
                    published_offset = EXCLUDED.published_offset
            RETURNING topic, partition, epoch, next_offset, published_offset, last_record_ms
            """)

    /// Constraints whose violation means that another connection was faster.
    static let primaryKeys: [String?] = ["keys_pkey", "inbox_pkey", "used_once_pkey"]
}
