-- The newest receipt of each key, and when Apple is asked for the next one.
--
-- A table of its own, as attest.keys is locked and updated with every batch and is kept small. It is
-- written when a key is registered, when Apple was asked, and once a day in which a key is seen.
-- Rows of keys that were registered before are made when these keys are seen: nothing is copied
-- here, and workers of the version before are not in the way. Like attest.withdrawals it has no
-- foreign key.
CREATE TABLE attest.receipts (
    key_id       bytea       NOT NULL,
    app_id       text        NOT NULL,
    receipt      bytea,
    created_at   timestamptz NOT NULL,
    not_before   timestamptz,
    expires_at   timestamptz NOT NULL,
    metric       bigint,
    metric_as_of timestamptz,
    told_metric  bigint,
    seen_on      date        NOT NULL,
    attempted_at timestamptz,
    last_result  text,
    failures     integer     NOT NULL DEFAULT 0,
    next_attempt timestamptz,
    ended        text,
    lease        bigint      NOT NULL DEFAULT 0,
    CONSTRAINT receipts_pkey PRIMARY KEY (key_id),
    CONSTRAINT receipts_key_id_is_sha256 CHECK (octet_length(key_id) = 32),
    CONSTRAINT receipts_metric_is_uint32 CHECK (metric BETWEEN 0 AND 4294967295),
    CONSTRAINT receipts_ended_known CHECK (ended IN ('expired', 'refused', 'invalid')),
    CONSTRAINT receipts_ended_is_not_due CHECK (ended IS NULL OR next_attempt IS NULL)
) WITH (fillfactor = 80);
-- Signed bytes hardly compress: don't try on each refresh.
ALTER TABLE attest.receipts ALTER COLUMN receipt SET STORAGE EXTERNAL;

-- What is due, by app: a fleet asks about the keys of its own apps.
CREATE INDEX receipts_due_idx ON attest.receipts (app_id, next_attempt)
    WHERE next_attempt IS NOT NULL;
-- Changes that the risk topic was not told of: few, or none.
CREATE INDEX receipts_untold_idx ON attest.receipts (key_id)
    WHERE metric IS DISTINCT FROM told_metric;

COMMENT ON TABLE attest.receipts IS 'The newest receipt of each key, and when the next is due.';
COMMENT ON COLUMN attest.receipts.receipt IS
    'As Apple signed it; NULL: the newest one is that of the attestation.';
COMMENT ON COLUMN attest.receipts.created_at IS 'When Apple made the newest receipt.';
COMMENT ON COLUMN attest.receipts.expires_at IS 'From then on it can''t be exchanged any more.';
COMMENT ON COLUMN attest.receipts.metric IS 'The risk metric of the newest receipt that has one.';
COMMENT ON COLUMN attest.receipts.told_metric IS 'The metric that the risk topic was told last.';
COMMENT ON COLUMN attest.receipts.seen_on IS 'The latest day (UTC) of an accepted request.';
COMMENT ON COLUMN attest.receipts.failures IS 'How often in a row Apple gave no new receipt.';
COMMENT ON COLUMN attest.receipts.next_attempt IS
    'When it is due; NULL: when the key is seen again, or never if ended is set.';
COMMENT ON COLUMN attest.receipts.ended IS 'Why no further receipt is asked for.';
COMMENT ON COLUMN attest.receipts.lease IS
    'Rises when a worker takes the row and when its key is attested: later answers are dropped.';

-- How fast a whole fleet asks Apple: a row a team, locked by whoever takes due receipts.
CREATE TABLE attest.refresh_pace (
    fleet             text        NOT NULL,
    token_thousandths bigint      NOT NULL,
    filled_at         timestamptz NOT NULL,
    day               integer     NOT NULL,
    used_today        bigint      NOT NULL,
    paused_until      timestamptz,
    troubles          integer     NOT NULL,
    CONSTRAINT refresh_pace_pkey PRIMARY KEY (fleet)
) WITH (fillfactor = 20);

COMMENT ON TABLE attest.refresh_pace IS 'How fast Apple is asked for receipts, by team.';
COMMENT ON COLUMN attest.refresh_pace.token_thousandths IS 'Requests in hand, in thousandths.';
COMMENT ON COLUMN attest.refresh_pace.day IS 'The day that used_today counts, from 1970-01-01.';
COMMENT ON COLUMN attest.refresh_pace.paused_until IS 'After trouble that is no key''s fault.';
