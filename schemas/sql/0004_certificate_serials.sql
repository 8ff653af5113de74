-- The certificate that a key was attested with first, so that a revoked one is told from others. NULL
-- of keys that were registered before, or by a worker of the version before.
--
-- No default and no rewrite: the table is locked for a moment only, and a longer transaction must not
-- make a fleet wait behind this.
SET LOCAL lock_timeout = '5s';

ALTER TABLE attest.keys ADD COLUMN certificate_serial bytea;

COMMENT ON COLUMN attest.keys.certificate_serial IS
    'Serial number of the first credential certificate, big-endian, no leading zeros.';
