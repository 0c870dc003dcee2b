-- How many messages wait to leave, and since how many seconds the oldest that is due does; for the metrics. Those of suspended
-- companies are not to leave.
CREATE OR REPLACE FUNCTION kernel.outbox_waiting() RETURNS TABLE (waiting bigint, seconds bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT count(*), coalesce(extract(epoch FROM now() - min(coalesce(first_tried_at, not_before))
        FILTER (WHERE first_tried_at IS NOT NULL OR not_before <= now()))::bigint, 0)
    FROM kernel.outbox AS o WHERE o.sent_at IS NULL AND o.gave_up_at IS NULL
        AND NOT EXISTS (
            SELECT FROM kernel.companies AS c
            WHERE c.id = o.company_id AND c.suspended_at IS NOT NULL AND c.move IS DISTINCT FROM 'moved')
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_waiting() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_waiting() TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_waiting.sql', '1fc7fab7de558a03');
