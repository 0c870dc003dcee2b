-- The keys and subscriptions of an account that is deactivated are revoked for good, as its sign-ins end; a change of its
-- base role revokes those of the former one. SECURITY DEFINER, since the role that administers accounts may not touch keys.
CREATE OR REPLACE FUNCTION kernel.revoke_access_keys() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE public.access_keys SET revoked_at = now()
    WHERE company_id = NEW.company_id AND account_id = NEW.id AND revoked_at IS NULL
        AND (NOT NEW.is_active OR role = OLD.role AND NEW.role <> OLD.role);
    DELETE FROM kernel.subscriptions
    WHERE company_id = NEW.company_id AND account_id = NEW.id
        AND (NOT NEW.is_active OR role = OLD.role AND NEW.role <> OLD.role);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.revoke_access_keys() FROM PUBLIC;

CREATE OR REPLACE TRIGGER users_access_keys AFTER UPDATE ON public.users
    FOR EACH ROW WHEN (OLD.role IS DISTINCT FROM NEW.role OR OLD.is_active IS DISTINCT FROM NEW.is_active)
    EXECUTE FUNCTION kernel.revoke_access_keys();

SELECT kernel.note_file('kernel', 'functions/revoke_access_keys.sql', '943f5520aff70535');
