-- Enters the mail that invites a person to the company, or an active account without a password to choose one, in the transaction that
-- makes the member, or again. For others it does nothing.
CREATE OR REPLACE FUNCTION kernel.invite(account bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO kernel.invitations AS i (company_id, user_id, invited_by)
    SELECT u.company_id, u.id, kernel.account() FROM public.users AS u
    WHERE u.company_id = kernel.company() AND u.id = account AND u.is_active
        AND (u.joined_at IS NULL
            OR NOT EXISTS (SELECT FROM public.credentials AS c WHERE c.user_id = u.account_id))
    ON CONFLICT (company_id, user_id) DO UPDATE SET asked_at = now(), sent_at = NULL, error = NULL, invited_by = EXCLUDED.invited_by;
    IF FOUND THEN
        PERFORM kernel.send('users.invitation', account);
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.invite(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.invite(bigint) TO learntrack_admin;

-- What the function of before relied on.
ALTER TABLE kernel.invitations DROP CONSTRAINT IF EXISTS invitations_pkey;

SELECT kernel.note_file('kernel', 'functions/invite.sql', '815fbd23fcdd4b02');
