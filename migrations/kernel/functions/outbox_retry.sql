-- The command outbox.retry: a message that has failed, or was given up, is sent again. Returns its id, or null if there is none.
CREATE OR REPLACE FUNCTION kernel.outbox_retry(id bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    has_left boolean;
BEGIN
    IF cardinality(kernel.outbox_renew(ARRAY[kernel.company()], ARRAY[outbox_retry.id])) = 0 THEN
        SELECT o.sent_at IS NOT NULL INTO has_left FROM kernel.outbox AS o
        WHERE o.company_id = kernel.company() AND o.id = outbox_retry.id;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        PERFORM kernel.refuse(CASE WHEN has_left THEN 'outbox_sent' ELSE 'outbox_waiting' END);
    END IF;
    RETURN outbox_retry.id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_retry(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_retry(bigint) TO learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/outbox_retry.sql', 'f7ed2fe040cf0a85');
