-- What may be used once and was: challenges, and tokens for one call, from the transaction in which
-- each was used until no record from before its expiry can be judged any more.
--
-- `id` is a digest; nothing in it tells who used it. The unique index makes a second transaction that
-- uses the same one wait, and fail.
CREATE TABLE attest.used_once (
    id         bytea       NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT used_once_pkey PRIMARY KEY (id),
    CONSTRAINT used_once_id_is_sha256 CHECK (octet_length(id) = 32)
) WITH (
    -- Old rows leave in small steps all day long: make their space usable again soon.
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.1
);
CREATE INDEX used_once_expires_at_idx ON attest.used_once (expires_at);

COMMENT ON TABLE attest.used_once IS 'Challenges and tokens for one call that were used.';
COMMENT ON COLUMN attest.used_once.id IS 'SHA-256 over the kind and the number of what was used.';
COMMENT ON COLUMN attest.used_once.expires_at IS 'From then on it is refused for its age.';
