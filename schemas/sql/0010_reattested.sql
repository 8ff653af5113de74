-- Whether a key was attested more than once, for tokens to tell.
--
-- Nothing is rewritten, and workers of an earlier version go on beside it, as they name their columns:
-- a row of theirs has NULL there, as all rows from before have, and nothing is told of it. The table is
-- locked for a moment; a longer transaction (a dump, a script) must not stop a fleet.
SET LOCAL lock_timeout = '5s';

ALTER TABLE attest.keys ADD COLUMN reattested boolean;

COMMENT ON COLUMN attest.keys.reattested IS
    'Whether the key was attested again after it was stored; empty where that is not known.';
