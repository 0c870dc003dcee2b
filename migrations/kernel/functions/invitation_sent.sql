-- Notes that the mail with the link for a new account has left.
CREATE OR REPLACE FUNCTION kernel.invitation_sent(account bigint, answers jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE kernel.invitations AS i SET sent_at = now(), error = NULL
    WHERE i.company_id = kernel.company() AND i.user_id = $1
$$;

REVOKE EXECUTE ON FUNCTION kernel.invitation_sent(bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.invitation_sent(bigint, jsonb) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/invitation_sent.sql', '8518c83c9ec3f85a');
