-- Members are deactivated, not deleted. If one is deleted at psql, the account goes too, and its sign-ins end, unless it is a member of
-- another company.
CREATE OR REPLACE FUNCTION kernel.end_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM public.users AS u WHERE u.account_id = OLD.account_id) THEN
        -- The row is gone that says so.
        PERFORM pg_notify('auth_account_changed', format('ended %s %s', OLD.company_id, OLD.id));
    ELSE
        UPDATE public.sign_ins AS s SET ended_at = now() WHERE s.user_id = OLD.account_id AND s.ended_at IS NULL;
        DELETE FROM kernel.accounts AS a WHERE a.id = OLD.account_id;
    END IF;
    RETURN NULL;
END
$$;

-- TRUNCATE fires no trigger of rows.
CREATE OR REPLACE FUNCTION kernel.end_accounts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ended record;
BEGIN
    FOR ended IN
        UPDATE public.sign_ins AS s SET ended_at = now()
        WHERE s.ended_at IS NULL AND NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = s.user_id)
        RETURNING s.id
    LOOP
        PERFORM pg_notify('auth_sign_in_ended', ended.id::text);
    END LOOP;
    DELETE FROM kernel.accounts AS a WHERE NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = a.id);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.end_account(), kernel.end_accounts() FROM PUBLIC;

-- The trigger of before came before the deletion.
DROP TRIGGER IF EXISTS users_end ON public.users;
CREATE TRIGGER users_end AFTER DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION kernel.end_account();
CREATE OR REPLACE TRIGGER users_truncate AFTER TRUNCATE ON public.users
    FOR EACH STATEMENT EXECUTE FUNCTION kernel.end_accounts();

SELECT kernel.note_file('kernel', 'functions/end_account.sql', '5ba797e2e5994479');
