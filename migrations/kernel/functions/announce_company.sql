-- A company that is suspended or resumed, at psql too, is announced to the servers: they then read which are suspended. The messages
-- of one that is resumed may leave.
CREATE OR REPLACE FUNCTION kernel.announce_company() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_notify('auth_account_changed', 'company ' || NEW.id);
    IF NEW.suspended_at IS NULL THEN
        PERFORM pg_notify('outbox', '');
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.announce_company() FROM PUBLIC;

CREATE OR REPLACE TRIGGER companies_announce AFTER UPDATE ON kernel.companies
    FOR EACH ROW WHEN ((OLD.suspended_at IS NULL) <> (NEW.suspended_at IS NULL))
    EXECUTE FUNCTION kernel.announce_company();

SELECT kernel.note_file('kernel', 'functions/announce_company.sql', '845aa272cdd16ca2');
