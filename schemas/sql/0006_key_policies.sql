-- What policies on keys need: when a key was attested and used, and which of the sign counts below
-- the highest one were accepted.
--
-- Nothing is rewritten: the columns are empty in all rows, and workers of an earlier version go on
-- beside it, as they name their columns. The table is locked for a moment; a longer transaction (a
-- dump, a script) must not stop a fleet.
SET LOCAL lock_timeout = '5s';

-- Days in UTC of the records' own timestamps. None of it is indexed, so that an update of them stays
-- within its page, and they change in the same statement as the sign count.
--
-- A window holds for the sign count that it was written with, and for no other: bit i of window_seen
-- tells whether the count window_count - 1 - i was accepted. Where the two columns are empty, or
-- window_count is not the row's sign count (a worker without a window has raised it, or
-- `reconcile`), every count below the row's counts as accepted, as if there were no window.
ALTER TABLE attest.keys
    ADD COLUMN attested_on date,
    ADD COLUMN last_used_on date,
    ADD COLUMN window_count bigint,
    ADD COLUMN window_seen bigint,
    -- The new columns are empty everywhere: there is nothing to look through.
    ADD CONSTRAINT keys_window_in_range CHECK (
        (window_count IS NULL AND window_seen IS NULL)
        OR (window_count IS NOT NULL AND window_seen IS NOT NULL
            AND window_count BETWEEN 0 AND sign_count)) NOT VALID;

COMMENT ON COLUMN attest.keys.attested_on IS
    'Day of the last attestation; empty where that was before this column: created_at stands in.';
COMMENT ON COLUMN attest.keys.last_used_on IS 'Day of the last accepted request, once known.';
COMMENT ON COLUMN attest.keys.window_count IS 'The sign count that window_seen belongs to.';
COMMENT ON COLUMN attest.keys.window_seen IS
    'Bit i: whether the sign count window_count - 1 - i was accepted.';

-- As before, and: a sign count that was accepted is never forgotten. What the old row knows is moved
-- up by the difference of the counts, and each bit of it must stand in the new row.
CREATE OR REPLACE TRIGGER keys_never_go_back AFTER UPDATE ON attest.keys
    FOR EACH ROW
    WHEN (NEW.sign_count < OLD.sign_count OR (OLD.status = 'erased' AND NEW.status <> 'erased')
        OR NEW.key_id <> OLD.key_id
        OR (NEW.window_count = NEW.sign_count AND (~NEW.window_seen) & (CASE
            WHEN NEW.sign_count = OLD.sign_count THEN
                CASE WHEN OLD.window_count = OLD.sign_count THEN OLD.window_seen ELSE -1 END
            WHEN NEW.sign_count - OLD.sign_count < 64 THEN
                (CASE WHEN OLD.window_count = OLD.sign_count THEN OLD.window_seen ELSE -1 END
                    << (NEW.sign_count - OLD.sign_count)::int4)
                | (1::bigint << (NEW.sign_count - OLD.sign_count - 1)::int4)
            WHEN NEW.sign_count - OLD.sign_count = 64 THEN 1::bigint << 63
            ELSE 0 END) <> 0))
    EXECUTE FUNCTION attest.refuse_change();
