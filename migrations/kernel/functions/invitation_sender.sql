-- The name and the address of the account that invites another one, `Marie Curie (marie@exemple.fr)`, the address alone without a
-- name; null if it is gone or no longer active, or if no account has invited.
CREATE OR REPLACE FUNCTION kernel.invitation_sender(account bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT kernel.account_sender(u)
    FROM kernel.invitations AS i JOIN public.users AS u ON u.company_id = i.company_id AND u.id = i.invited_by
    WHERE i.company_id = kernel.company() AND i.user_id = $1 AND u.is_member
$$;

REVOKE EXECUTE ON FUNCTION kernel.invitation_sender(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.invitation_sender(bigint) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/invitation_sender.sql', 'e96bffb37488958d');
