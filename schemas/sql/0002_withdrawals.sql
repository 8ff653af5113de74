-- Keys that an operator took out of use: why, when, and by whom.
--
-- A table of its own, as attest.keys is locked and updated with every batch and is kept small. It
-- has no foreign key: adding one would lock attest.keys under the workers that run meanwhile, and
-- no key is ever deleted.
CREATE TABLE attest.withdrawals (
    key_id       bytea       NOT NULL,
    status       text        NOT NULL,
    reason       text,
    withdrawn_by text        NOT NULL DEFAULT session_user,
    withdrawn_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT withdrawals_pkey PRIMARY KEY (key_id),
    CONSTRAINT withdrawals_key_id_is_sha256 CHECK (octet_length(key_id) = 32),
    CONSTRAINT withdrawals_status_known CHECK (status IN ('revoked', 'erased')),
    CONSTRAINT withdrawals_reason_is_bounded CHECK (octet_length(reason) BETWEEN 1 AND 256),
    -- Free text may name a person.
    CONSTRAINT withdrawals_erased_has_no_reason CHECK (status = 'revoked' OR reason IS NULL)
);

COMMENT ON TABLE attest.withdrawals IS 'Keys taken out of use: what the row in attest.keys lacks.';
COMMENT ON COLUMN attest.withdrawals.reason IS 'Why it was revoked, in the operator''s words.';
COMMENT ON COLUMN attest.withdrawals.withdrawn_by IS 'The database role that did it.';
