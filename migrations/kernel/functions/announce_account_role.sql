-- A change of an account's further roles, at psql too, counts as a change of the account: servers refuse the access tokens
-- that name other roles than these, and the keys and subscriptions of a role that has ended are revoked for good.
--
-- The account's row is locked first. kernel.create_access_key and kernel.create_subscription lock it too, so that no key is
-- created in a role that is just ending. SECURITY DEFINER, since the role that administers accounts may not touch keys.
CREATE OR REPLACE FUNCTION kernel.announce_account_role() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    changed record;
BEGIN
    FOR changed IN
        SELECT DISTINCT m.company_id, m.id FROM (VALUES
            (CASE WHEN TG_OP <> 'INSERT' THEN OLD.company_id END, CASE WHEN TG_OP <> 'INSERT' THEN OLD.account_id END),
            (CASE WHEN TG_OP <> 'DELETE' THEN NEW.company_id END, CASE WHEN TG_OP <> 'DELETE' THEN NEW.account_id END)
        ) AS m (company_id, id) WHERE m.id IS NOT NULL ORDER BY m.company_id, m.id
    LOOP
        -- Its trigger sets updated_at and the next version.
        UPDATE public.users AS u SET updated_at = u.updated_at
        WHERE u.company_id = changed.company_id AND u.id = changed.id;
        PERFORM pg_notify('auth_account_changed', changed.id::text);
    END LOOP;
    IF TG_OP <> 'INSERT' THEN
        UPDATE public.access_keys AS k SET revoked_at = now()
        WHERE k.company_id = OLD.company_id AND k.account_id = OLD.account_id AND k.role = OLD.role
            AND k.subject IS NOT DISTINCT FROM OLD.subject AND k.revoked_at IS NULL
            AND NOT EXISTS (
                SELECT FROM public.account_roles AS a
                WHERE a.company_id = k.company_id AND a.account_id = k.account_id AND a.role = k.role
                    AND a.subject IS NOT DISTINCT FROM k.subject);
        DELETE FROM kernel.subscriptions AS s
        WHERE s.company_id = OLD.company_id AND s.account_id = OLD.account_id AND s.role = OLD.role
            AND s.subject IS NOT DISTINCT FROM OLD.subject
            AND NOT EXISTS (
                SELECT FROM public.account_roles AS a
                WHERE a.company_id = s.company_id AND a.account_id = s.account_id AND a.role = s.role
                    AND a.subject IS NOT DISTINCT FROM s.subject);
    END IF;
    -- Access tokens name all of them, and headers of requests are not long.
    IF TG_OP <> 'DELETE' AND (
        SELECT count(*) FROM public.account_roles AS a
        WHERE a.company_id = NEW.company_id AND a.account_id = NEW.account_id) > 32
    THEN
        RAISE EXCEPTION 'an account has at most 32 further roles' USING
            ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'account_roles',
            CONSTRAINT = 'account_roles_at_most_32';
    END IF;
    RETURN NULL;
END
$$;

-- TRUNCATE fires no trigger of rows: before it the roles are deleted one by one, so that each ends as a deleted one does.
CREATE OR REPLACE FUNCTION kernel.end_account_roles() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM public.account_roles;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.announce_account_role(), kernel.end_account_roles() FROM PUBLIC;

CREATE OR REPLACE TRIGGER account_roles_announce AFTER INSERT OR UPDATE OR DELETE ON public.account_roles
    FOR EACH ROW EXECUTE FUNCTION kernel.announce_account_role();
CREATE OR REPLACE TRIGGER account_roles_truncate BEFORE TRUNCATE ON public.account_roles
    FOR EACH STATEMENT EXECUTE FUNCTION kernel.end_account_roles();

SELECT kernel.note_file('kernel', 'functions/announce_account_role.sql', 'bade195dd4a947f0');
