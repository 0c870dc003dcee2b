-- Cancels a document that waits for signatures: its links open nothing any more. Returns its id, or null if there is none.
-- The account that has asked for it does it, or an administrator.
CREATE OR REPLACE FUNCTION kernel.signature_cancel(id bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    asked kernel.signatures;
BEGIN
    SELECT * INTO asked FROM kernel.signatures AS s
    WHERE s.company_id = kernel.company() AND s.id = signature_cancel.id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF asked.account_id IS DISTINCT FROM kernel.account() AND kernel.role() IS DISTINCT FROM 'admin' THEN
        PERFORM kernel.refuse('signatures_owner');
    ELSIF asked.status <> 'waiting' THEN
        PERFORM kernel.refuse('signatures_waiting', jsonb_build_object('status', asked.status));
    END IF;
    UPDATE kernel.signatures AS s SET status = 'cancelled', cancelled_at = clock_timestamp()
    WHERE s.company_id = asked.company_id AND s.id = asked.id;
    RETURN asked.id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_cancel(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_cancel(bigint) TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/signature_cancel.sql', '3f6dfd556b8c04ff');
