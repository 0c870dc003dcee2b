-- A company that is suspended or resumed, or whose move goes on, at psql too, is announced to the servers: they then read which are
-- suspended or have moved. The messages of one that is resumed, or has moved, may leave.
CREATE OR REPLACE FUNCTION kernel.announce_company() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_notify('auth_account_changed', 'company ' || NEW.id);
    IF NEW.suspended_at IS NULL OR NEW.move = 'moved' THEN
        PERFORM pg_notify('outbox', '');
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.announce_company() FROM PUBLIC;

CREATE OR REPLACE TRIGGER companies_announce AFTER UPDATE ON kernel.companies
    FOR EACH ROW
    WHEN ((OLD.suspended_at IS NULL) <> (NEW.suspended_at IS NULL) OR OLD.move IS DISTINCT FROM NEW.move)
    EXECUTE FUNCTION kernel.announce_company();

SELECT kernel.note_file('kernel', 'functions/announce_company.sql', '4c9cb72cf91e8b0b');
