-- Notes that the mail with the link for a new account has not left, and why.
CREATE OR REPLACE FUNCTION kernel.invitation_failed(account bigint, failure jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE kernel.invitations AS i SET error = left($2 ->> 'error', 500)
    WHERE i.company_id = kernel.company() AND i.user_id = $1 AND i.sent_at IS NULL
$$;

REVOKE EXECUTE ON FUNCTION kernel.invitation_failed(bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.invitation_failed(bigint, jsonb) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/invitation_failed.sql', '4d42056bdb0bd29b');
