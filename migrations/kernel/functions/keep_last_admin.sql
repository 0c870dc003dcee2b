-- An administrator may take the role or the activity from anyone but the last active administrator of the company. Two
-- administrators who remove each other at the same time are serialised by a lock that is taken before a row is written: the
-- second transaction sees the first. A transaction with an older snapshot fails to lock the row and is run again.
--
-- The rule does not apply to the owner at psql or on the command line, who can create another administrator.
CREATE OR REPLACE FUNCTION kernel.admins_in_turn() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.admins', coalesce(kernel.company(), 0)));
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION kernel.keep_last_admin() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM public.users AS u WHERE u.company_id = NEW.company_id AND u.role = 'admin' AND u.is_member
    ORDER BY u.id LIMIT 1 FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the last active administrator' USING
            ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'users', CONSTRAINT = 'users_last_admin';
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.admins_in_turn(), kernel.keep_last_admin() FROM PUBLIC;

CREATE OR REPLACE TRIGGER users_turn_of_admins BEFORE UPDATE OF role, is_active ON public.users
    FOR EACH STATEMENT
    WHEN (current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION kernel.admins_in_turn();

CREATE OR REPLACE TRIGGER users_last_admin AFTER UPDATE ON public.users
    FOR EACH ROW
    WHEN (
        OLD.role = 'admin' AND OLD.is_active AND NOT (NEW.role = 'admin' AND NEW.is_active)
        AND current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
    )
    EXECUTE FUNCTION kernel.keep_last_admin();

SELECT kernel.note_file('kernel', 'functions/keep_last_admin.sql', 'cc32e9a8f63c0df8');
