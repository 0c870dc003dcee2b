-- Enters the mail that invites an active account without a password to choose one, in the transaction that makes the account, or
-- again. For other accounts it does nothing.
CREATE OR REPLACE FUNCTION kernel.invite(account bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO kernel.invitations AS i (user_id, invited_by)
    SELECT u.id, kernel.account() FROM public.users AS u
    WHERE u.id = account AND u.is_active
        AND NOT EXISTS (SELECT FROM public.credentials AS c WHERE c.user_id = u.id)
    ON CONFLICT (user_id) DO UPDATE SET asked_at = now(), sent_at = NULL, error = NULL, invited_by = EXCLUDED.invited_by;
    IF FOUND THEN
        PERFORM kernel.send('users.invitation', account);
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.invite(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.invite(bigint) TO learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/invite.sql', '22fcbacc27c2f2a5');
