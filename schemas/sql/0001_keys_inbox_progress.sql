-- Keys, inbox and progress: all the state there is.
--
-- Applied in one transaction by `attest-worker migrate`, which also keeps attest.schema_version.
-- Every statement of the worker names the schema; it depends on no search_path.

-- A key and what changes with it: read, locked and updated with every batch, so it is kept small.
-- No index but the primary key: nothing that changes is indexed, and with room left in each page
-- an update of the sign count stays in its page (HOT) and touches no index.
CREATE TABLE attest.keys (
    key_id      bytea       NOT NULL,
    app_id      text        NOT NULL,
    environment text        NOT NULL,
    public_key  bytea       NOT NULL,
    sign_count  bigint      NOT NULL,
    subject     text,
    status      text        NOT NULL,
    attested_by text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT keys_pkey PRIMARY KEY (key_id),
    CONSTRAINT keys_key_id_is_sha256 CHECK (octet_length(key_id) = 32),
    CONSTRAINT keys_environment_known CHECK (environment IN ('development', 'production')),
    CONSTRAINT keys_sign_count_is_uint32 CHECK (sign_count BETWEEN 0 AND 4294967295),
    CONSTRAINT keys_status_known CHECK (status IN ('active', 'revoked', 'erased')),
    CONSTRAINT keys_attested_by_known CHECK (attested_by IN ('apple', 'simulated')),
    -- An uncompressed point; of an erased key nothing but the tombstone stays.
    CONSTRAINT keys_public_key_is_point CHECK (
        octet_length(public_key) = CASE status WHEN 'erased' THEN 0 ELSE 65 END)
) WITH (fillfactor = 80);

COMMENT ON TABLE attest.keys IS 'One row a registered key; the sign count is never lowered.';
COMMENT ON COLUMN attest.keys.key_id IS 'SHA-256 of the public key: Apple''s key id, 32 bytes.';
COMMENT ON COLUMN attest.keys.public_key IS '65 bytes, X9.63 uncompressed; empty once erased.';
COMMENT ON COLUMN attest.keys.sign_count IS 'The highest sign count accepted.';
COMMENT ON COLUMN attest.keys.subject IS 'Owner of the key, named by the gateway.';
COMMENT ON COLUMN attest.keys.attested_by IS
    'Whose root its attestation ended at: Apple''s, or that of an app marked simulated.';

-- What the last attestation of a key told: kilobytes that no assertion needs.
CREATE TABLE attest.attestations (
    key_id      bytea       NOT NULL,
    receipt     bytea       NOT NULL,
    platform    text,
    os_version  text,
    attested_at timestamptz NOT NULL,
    CONSTRAINT attestations_pkey PRIMARY KEY (key_id),
    CONSTRAINT attestations_key_id_fkey FOREIGN KEY (key_id)
        REFERENCES attest.keys (key_id) ON DELETE CASCADE
);
-- Signed bytes hardly compress: don't try on each insert.
ALTER TABLE attest.attestations ALTER COLUMN receipt SET STORAGE EXTERNAL;

COMMENT ON TABLE attest.attestations IS 'Receipt and metadata of each key''s last attestation.';
COMMENT ON COLUMN attest.attestations.receipt IS 'The receipt as Apple signed it.';
COMMENT ON COLUMN attest.attestations.attested_at IS 'Timestamp of the registration''s record.';

-- Every decided request with its verdict. A request is stored once, on whatever day it comes, so
-- the table is not partitioned: a partition key would have to be part of the primary key.
CREATE TABLE attest.inbox (
    request        uuid  NOT NULL,
    decided_on     date  NOT NULL DEFAULT ((now() AT TIME ZONE 'UTC')::date),
    content_digest bytea NOT NULL,
    verdict        bytea NOT NULL,
    CONSTRAINT inbox_pkey PRIMARY KEY (request),
    CONSTRAINT inbox_content_digest_is_sha256 CHECK (octet_length(content_digest) = 32)
) WITH (
    -- Old rows leave in small steps all day long: make their space usable again soon.
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.1
);
-- Few values, many rows each: deduplication keeps it small. Pruning goes by it.
CREATE INDEX inbox_decided_on_idx ON attest.inbox (decided_on);

COMMENT ON TABLE attest.inbox IS 'Decided requests and their verdicts, kept for the retention.';
COMMENT ON COLUMN attest.inbox.request IS 'First 16 bytes of the request identity''s SHA-256.';
COMMENT ON COLUMN attest.inbox.decided_on IS 'Day in UTC on the database''s clock.';
COMMENT ON COLUMN attest.inbox.content_digest IS 'SHA-256 of the request''s content.';
COMMENT ON COLUMN attest.inbox.verdict IS 'The verdict, byte for byte as it is published.';

-- How far each partition is decided, and under whose epoch: the fence. Times are the records' own,
-- in milliseconds since 1970. "C" makes the order of names that of their bytes, as in the worker.
CREATE TABLE attest.partition_progress (
    group_id         text COLLATE "C" NOT NULL,
    topic            text COLLATE "C" NOT NULL,
    partition        integer          NOT NULL,
    epoch            bigint           NOT NULL,
    next_offset      bigint           NOT NULL,
    published_offset bigint           NOT NULL,
    last_record_ms   bigint           NOT NULL,
    owner            text             NOT NULL,
    updated_at       timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT partition_progress_pkey PRIMARY KEY (group_id, topic, partition),
    CONSTRAINT partition_progress_partition_not_negative CHECK (partition >= 0),
    CONSTRAINT partition_progress_epoch_positive CHECK (epoch > 0),
    CONSTRAINT partition_progress_next_offset_not_negative CHECK (next_offset >= 0),
    CONSTRAINT partition_progress_published_offset_in_range
        CHECK (published_offset BETWEEN 0 AND next_offset)
) WITH (fillfactor = 20);

COMMENT ON TABLE attest.partition_progress IS 'How far each partition is decided, and its owner.';
COMMENT ON COLUMN attest.partition_progress.epoch IS 'Rises with each claim, fencing older ones.';
COMMENT ON COLUMN attest.partition_progress.next_offset IS 'The first offset not decided yet.';
COMMENT ON COLUMN attest.partition_progress.published_offset IS
    'The first offset whose verdict is not known to be delivered.';
COMMENT ON COLUMN attest.partition_progress.owner IS 'Who claimed it last; for people only.';
