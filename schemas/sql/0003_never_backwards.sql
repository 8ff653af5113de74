-- What no statement of the worker does, no other statement shall do either: lower a sign count, or
-- bring an erased key back. Whoever has the worker's password, or a slip of the hand in psql, would
-- make old assertions valid again.
--
-- The function runs only where WHEN holds, which is never in daily work. Making a trigger waits for
-- the transactions that write the table and holds up those that want to: each of them takes
-- milliseconds, and a longer one (a dump, a script) must not stop a fleet.
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION attest.refuse_change() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'a sign count never falls, and an erased key never comes back'
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
END
$$;

CREATE TRIGGER keys_never_go_back AFTER UPDATE ON attest.keys
    FOR EACH ROW
    WHEN (NEW.sign_count < OLD.sign_count OR (OLD.status = 'erased' AND NEW.status <> 'erased')
        OR NEW.key_id <> OLD.key_id)
    EXECUTE FUNCTION attest.refuse_change();
