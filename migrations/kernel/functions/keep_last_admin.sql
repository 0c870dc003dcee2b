-- An administrator may take the role or the activity from anyone but the last active administrator. Two who do it to
-- each other at the same time come one after the other, before either has touched a row: the second sees what the first
-- has done, and a transaction whose snapshot is older fails to lock the row it relies on, and is run again.
--
-- What the owner does at psql or from the command line is theirs to answer for: they can let somebody in again.
CREATE OR REPLACE FUNCTION kernel.admins_in_turn() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.admins', 0));
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION kernel.keep_last_admin() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM public.users WHERE role = 'admin' AND is_active ORDER BY id LIMIT 1 FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the last active administrator' USING
            ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'users', CONSTRAINT = 'users_dernier_admin';
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.admins_in_turn(), kernel.keep_last_admin() FROM PUBLIC;

CREATE OR REPLACE TRIGGER users_tour_des_admins BEFORE UPDATE OF role, is_active ON public.users
    FOR EACH STATEMENT
    WHEN (current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION kernel.admins_in_turn();

CREATE OR REPLACE TRIGGER users_dernier_admin AFTER UPDATE ON public.users
    FOR EACH ROW
    WHEN (
        OLD.role = 'admin' AND OLD.is_active AND NOT (NEW.role = 'admin' AND NEW.is_active)
        AND current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
    )
    EXECUTE FUNCTION kernel.keep_last_admin();
