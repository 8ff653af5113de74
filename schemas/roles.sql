-- Roles with no more rights than each of them needs. Idempotent: apply it after `migrate`, and again
-- after each `migrate` that applied something, as the owner of the schema (a role that may create
-- roles), in the database of the schema:
--
--     psql -X -v ON_ERROR_STOP=1 -f schemas/roles.sql "$CONNINFO"
--
-- None of them can log in. Grant one to the role that does:
--
--     CREATE ROLE attest_worker_1 LOGIN PASSWORD '…' IN ROLE attest_worker;
BEGIN;

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['attest_worker', 'attest_operator', 'attest_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA attest TO %I', wanted);
        -- What an earlier version granted and this one does not.
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA attest FROM %I', wanted);
        EXECUTE format('GRANT SELECT ON attest.schema_version TO %I', wanted);
    END LOOP;
END
$$;

-- `run` and `check`. Of a key it may raise the sign count (a trigger refuses to lower it, or to
-- forget one), the days of its use and its attestation, that it was attested again, and nothing else: it can't revoke, erase, delete, or move a key to another app or owner. Deleting from
-- the inbox is how it is kept small, and for that a row must be locked, which takes the right to
-- change one of its columns; so whoever holds this role can replace a verdict by deleting it first.
GRANT SELECT, INSERT ON attest.keys TO attest_worker;
GRANT UPDATE (sign_count, attested_on, last_used_on, window_count, window_seen, reattested)
    ON attest.keys TO attest_worker;
GRANT SELECT, INSERT ON attest.attestations TO attest_worker;
GRANT UPDATE (receipt, platform, os_version, attested_at) ON attest.attestations TO attest_worker;
GRANT SELECT, INSERT, DELETE ON attest.inbox TO attest_worker;
GRANT UPDATE (decided_on) ON attest.inbox TO attest_worker;
GRANT SELECT, INSERT ON attest.partition_progress TO attest_worker;
GRANT UPDATE (epoch, next_offset, published_offset, last_record_ms, owner, updated_at)
    ON attest.partition_progress TO attest_worker;
-- Receipts and their refresh; a row is made where a key is registered or seen.
GRANT SELECT, INSERT ON attest.receipts, attest.refresh_pace TO attest_worker;
GRANT UPDATE (receipt, created_at, not_before, expires_at, metric, metric_as_of, told_metric,
    seen_on, attempted_at, last_result, failures, next_attempt, ended, lease)
    ON attest.receipts TO attest_worker;
GRANT UPDATE ON attest.refresh_pace TO attest_worker;
GRANT SELECT, INSERT, DELETE ON attest.audit TO attest_worker;
GRANT SELECT, INSERT ON attest.audit_bases TO attest_worker;
GRANT SELECT, INSERT, DELETE ON attest.used_once TO attest_worker;

-- `keys` and `explain`. It can't register a key, nor touch a sign count or a partition's progress.
GRANT SELECT ON attest.keys, attest.attestations, attest.withdrawals, attest.inbox,
    attest.key_moves, attest.audit, attest.audit_bases TO attest_operator;
GRANT UPDATE (status, public_key, subject, certificate_serial, attested_on, last_used_on,
    reattested) ON attest.keys TO attest_operator;
GRANT DELETE ON attest.attestations TO attest_operator;
GRANT SELECT, DELETE ON attest.receipts TO attest_operator;
GRANT INSERT ON attest.withdrawals TO attest_operator;
GRANT UPDATE (status, reason, withdrawn_by, withdrawn_at) ON attest.withdrawals TO attest_operator;
GRANT UPDATE (verdict) ON attest.inbox TO attest_operator;
GRANT UPDATE (facts) ON attest.audit TO attest_operator;
GRANT INSERT ON attest.key_moves TO attest_operator;
GRANT UPDATE (from_subject, to_subject, reason) ON attest.key_moves TO attest_operator;

-- Dashboards: how far partitions are, and how many keys there are. Nothing that names a person.
GRANT SELECT ON attest.partition_progress TO attest_reader;
GRANT SELECT (app_id, environment, sign_count, status, attested_by, created_at) ON attest.keys
    TO attest_reader;
GRANT SELECT (status, withdrawn_at) ON attest.withdrawals TO attest_reader;
GRANT SELECT (app_id, created_at, expires_at, metric, metric_as_of, seen_on, last_result, failures,
    next_attempt, ended) ON attest.receipts TO attest_reader;
GRANT SELECT ON attest.refresh_pace TO attest_reader;

COMMIT;
