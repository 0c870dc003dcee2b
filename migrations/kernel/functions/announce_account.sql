-- A change of a member's role or activity, at psql too, is announced to those who listen, and the sign-ins of an account end that is
-- an active member of no company any more. Servers need not listen: they look at what has changed several times a second. SECURITY
-- DEFINER, since the role that administers accounts may not touch sign-ins.
CREATE OR REPLACE FUNCTION kernel.announce_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Two members of one account that are deactivated at once take turns.
    PERFORM FROM kernel.accounts AS a WHERE a.id = NEW.account_id FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = NEW.account_id AND u.is_member) THEN
        UPDATE public.sign_ins SET ended_at = now() WHERE user_id = NEW.account_id AND ended_at IS NULL;
    END IF;
    PERFORM pg_notify('auth_account_changed', NEW.id::text);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.announce_account() FROM PUBLIC;

CREATE OR REPLACE TRIGGER users_announce AFTER UPDATE ON public.users
    FOR EACH ROW WHEN (OLD.role IS DISTINCT FROM NEW.role OR OLD.is_active IS DISTINCT FROM NEW.is_active
        OR OLD.joined_at IS DISTINCT FROM NEW.joined_at)
    EXECUTE FUNCTION kernel.announce_account();

SELECT kernel.note_file('kernel', 'functions/announce_account.sql', 'f1d1965c4e4079f6');
