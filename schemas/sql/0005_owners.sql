-- Owners: the index by which their keys are counted, and a note of each key that an operator gave to
-- another one.
--
-- Building the index holds up those that write attest.keys (workers wait and try again): about a
-- second for each million keys that have an owner. On a large table build it before, without holding
-- anyone up, and this finds it there:
--
--     CREATE INDEX CONCURRENTLY keys_owner_idx ON attest.keys (app_id, subject, created_at)
--         WHERE subject IS NOT NULL;
SET LOCAL lock_timeout = '5s';

-- Nothing in it changes with an assertion, so an update of the sign count still touches no index.
CREATE INDEX IF NOT EXISTS keys_owner_idx ON attest.keys (app_id, subject, created_at)
    WHERE subject IS NOT NULL;

CREATE TABLE attest.key_moves (
    move_id      bigint      GENERATED ALWAYS AS IDENTITY,
    key_id       bytea       NOT NULL,
    from_subject text,
    to_subject   text,
    reason       text,
    moved_by     text        NOT NULL DEFAULT session_user,
    moved_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT key_moves_pkey PRIMARY KEY (move_id),
    CONSTRAINT key_moves_key_id_is_sha256 CHECK (octet_length(key_id) = 32),
    CONSTRAINT key_moves_reason_is_bounded CHECK (octet_length(reason) BETWEEN 1 AND 256)
);
CREATE INDEX key_moves_key_id_idx ON attest.key_moves (key_id);

COMMENT ON TABLE attest.key_moves IS 'Keys that an operator gave to another owner; only added to.';
COMMENT ON COLUMN attest.key_moves.from_subject IS 'NULL if it had none, and once it is erased.';
COMMENT ON COLUMN attest.key_moves.reason IS 'Why, in the operator''s words; NULL once erased.';
COMMENT ON COLUMN attest.key_moves.moved_by IS 'The database role that did it.';
