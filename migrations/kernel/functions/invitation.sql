-- How far the invitation of an account is: 'waiting' until the mail has left, 'failed' when it has not left for a day, 'sent',
-- 'expired' a week after that; null for a member whose account has a password, or who has not been invited. A link is valid for seven days,
-- as kernel.invitation_tokens are in the server.
CREATE OR REPLACE FUNCTION public.invitation(account public.users) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN i.sent_at <= now() - interval '7 days' THEN 'expired'
        WHEN i.sent_at IS NOT NULL THEN 'sent'
        WHEN i.error IS NOT NULL THEN 'failed'
        ELSE 'waiting'
    END
    FROM kernel.invitations AS i
    WHERE i.company_id = (account).company_id AND i.user_id = (account).id
        AND ((account).joined_at IS NULL
            OR NOT EXISTS (SELECT FROM public.credentials AS c WHERE c.user_id = (account).account_id))
$$;

REVOKE EXECUTE ON FUNCTION public.invitation(public.users) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.invitation(public.users) TO learntrack_admin, learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/invitation.sql', '3e28b8091e4685cf');
