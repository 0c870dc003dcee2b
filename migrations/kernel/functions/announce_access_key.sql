-- A key that is created, revoked or otherwise changed, at psql too, is announced to the servers, which have all keys in
-- memory. That it was used is not announced.
CREATE OR REPLACE FUNCTION kernel.note_access_key() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    NEW.changed_at := now();
    NEW.version := OLD.version + 1;
    RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION kernel.announce_access_key() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_notify('auth_access_key_changed', (CASE TG_OP WHEN 'INSERT' THEN NEW.id ELSE OLD.id END)::text);
    RETURN NULL;
END
$$;

-- TRUNCATE fires no trigger of rows.
CREATE OR REPLACE FUNCTION kernel.announce_emptied_access_keys() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_notify('auth_access_key_changed', k.id::text) FROM public.access_keys AS k WHERE k.revoked_at IS NULL;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.note_access_key(), kernel.announce_access_key(),
    kernel.announce_emptied_access_keys() FROM PUBLIC;

CREATE OR REPLACE TRIGGER access_keys_note BEFORE UPDATE ON public.access_keys
    FOR EACH ROW WHEN (
        (OLD.company_id, OLD.account_id, OLD.role, OLD.subject, OLD.key_hash, OLD.expires_at, OLD.revoked_at)
        IS DISTINCT FROM (NEW.company_id, NEW.account_id, NEW.role, NEW.subject, NEW.key_hash, NEW.expires_at, NEW.revoked_at))
    EXECUTE FUNCTION kernel.note_access_key();
CREATE OR REPLACE TRIGGER access_keys_announce AFTER INSERT OR DELETE ON public.access_keys
    FOR EACH ROW EXECUTE FUNCTION kernel.announce_access_key();
CREATE OR REPLACE TRIGGER access_keys_announce_update AFTER UPDATE ON public.access_keys
    FOR EACH ROW WHEN (OLD.version IS DISTINCT FROM NEW.version)
    EXECUTE FUNCTION kernel.announce_access_key();
CREATE OR REPLACE TRIGGER access_keys_truncate BEFORE TRUNCATE ON public.access_keys
    FOR EACH STATEMENT EXECUTE FUNCTION kernel.announce_emptied_access_keys();

SELECT kernel.note_file('kernel', 'functions/announce_access_key.sql', '3668b5b79ac2162b');
