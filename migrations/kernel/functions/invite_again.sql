-- The command users.invite_again: mails an account another link to choose its first password. Returns its id, or null if there is
-- no such account.
CREATE OR REPLACE FUNCTION kernel.invite_again(id bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    invited public.users;
BEGIN
    SELECT * INTO invited FROM public.users AS u
    WHERE u.company_id = kernel.company() AND u.id = invite_again.id;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF NOT invited.is_active THEN
        PERFORM kernel.refuse('users_invite_inactive');
    ELSIF invited.joined_at IS NOT NULL
        AND EXISTS (SELECT FROM public.credentials AS c WHERE c.user_id = invited.account_id)
    THEN
        PERFORM kernel.refuse('users_invite_password');
    END IF;
    PERFORM kernel.invite(invited.id);
    RETURN invited.id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.invite_again(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.invite_again(bigint) TO learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/invite_again.sql', 'a1a3570dabd0df91');
