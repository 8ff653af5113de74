-- What is kept of each decision, where the settings ask for it: enough to explain a verdict long after
-- the inbox has forgotten it.
--
-- It names no key, no owner and no request id: `request` is a digest of the request's identity, as in
-- the inbox. A request is in it once, unless it is decided again after the inbox's retention.
CREATE TABLE attest.audit (
    request        uuid        NOT NULL,
    decided_at     timestamptz NOT NULL DEFAULT now(),
    content_digest bytea       NOT NULL,
    basis          bytea       NOT NULL,
    facts          bytea       NOT NULL,
    CONSTRAINT audit_content_digest_is_sha256 CHECK (octet_length(content_digest) = 32),
    CONSTRAINT audit_basis_is_sha256 CHECK (octet_length(basis) = 32)
) WITH (
    -- Old rows leave in small steps all day long: make their space usable again soon.
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.1
);
CREATE INDEX audit_request_idx ON attest.audit (request);
CREATE INDEX audit_decided_at_idx ON attest.audit (decided_at);

COMMENT ON TABLE attest.audit IS 'Decisions, for as long as audit.retention says.';
COMMENT ON COLUMN attest.audit.request IS 'First 16 bytes of the request identity''s SHA-256.';
COMMENT ON COLUMN attest.audit.basis IS 'What it rested on: a row of attest.audit_bases.';
COMMENT ON COLUMN attest.audit.facts IS 'JSON: outcome, reason, what was proved, the row as found.';

-- Policies, lists of revocations and versions of the program that decisions rested on. A few rows a
-- year; without a foreign key, as inserting a decision would lock its row here.
CREATE TABLE attest.audit_bases (
    basis          bytea       NOT NULL,
    policy         text        NOT NULL,
    revocations    bytea,
    worker_version text        NOT NULL,
    first_used_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT audit_bases_pkey PRIMARY KEY (basis),
    CONSTRAINT audit_bases_basis_is_sha256 CHECK (octet_length(basis) = 32)
);

COMMENT ON TABLE attest.audit_bases IS 'What decisions rested on beside requests and rows.';
COMMENT ON COLUMN attest.audit_bases.policy IS 'Settings, as JSON that can be loaded.';
COMMENT ON COLUMN attest.audit_bases.revocations IS 'SHA-256 of the list of revocations.';
