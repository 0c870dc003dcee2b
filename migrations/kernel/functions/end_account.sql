-- A member that is removed is out of the company, and mails that wait for it do not leave. An account goes with its last company, with
-- its password and passkeys: nobody is left who could sign in with them. That of an operator stays: no administrator of a company takes
-- one away. The journal keeps the numbers of both. The sign-ins of an
-- account end that is an active member of no company any more, though it may be invited to one.
CREATE OR REPLACE FUNCTION kernel.end_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ended record;
BEGIN
    -- The row is gone that says so.
    PERFORM pg_notify('auth_account_changed', format('ended %s %s', OLD.company_id, OLD.id));
    DELETE FROM kernel.outbox AS o
    WHERE o.company_id = OLD.company_id AND o.kind = 'users.invitation' AND o.record_id = OLD.id
        AND o.sent_at IS NULL AND o.gave_up_at IS NULL AND (o.claimed_until IS NULL OR o.claimed_until <= now());
    -- Two members of one account that are removed at once take turns.
    PERFORM FROM kernel.accounts AS a WHERE a.id = OLD.account_id FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = OLD.account_id AND u.is_member) THEN
        FOR ended IN
            UPDATE public.sign_ins AS s SET ended_at = now()
            WHERE s.user_id = OLD.account_id AND s.ended_at IS NULL RETURNING s.id
        LOOP
            PERFORM pg_notify('auth_sign_in_ended', ended.id::text);
        END LOOP;
    END IF;
    IF NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = OLD.account_id) THEN
        DELETE FROM kernel.accounts AS a WHERE a.id = OLD.account_id AND NOT a.is_operator;
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
    DELETE FROM kernel.accounts AS a
    WHERE NOT a.is_operator AND NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = a.id);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.end_account(), kernel.end_accounts() FROM PUBLIC;

-- The trigger of before came before the deletion.
DROP TRIGGER IF EXISTS users_end ON public.users;
CREATE TRIGGER users_end AFTER DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION kernel.end_account();
CREATE OR REPLACE TRIGGER users_truncate AFTER TRUNCATE ON public.users
    FOR EACH STATEMENT EXECUTE FUNCTION kernel.end_accounts();

SELECT kernel.note_file('kernel', 'functions/end_account.sql', 'cd54f45decd9e524');
