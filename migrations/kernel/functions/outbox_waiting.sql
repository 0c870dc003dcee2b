-- How many messages wait to leave, and since how many seconds the oldest that is due does; for the metrics.
CREATE OR REPLACE FUNCTION kernel.outbox_waiting() RETURNS TABLE (waiting bigint, seconds bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT count(*), coalesce(extract(epoch FROM now() - min(coalesce(first_tried_at, not_before))
        FILTER (WHERE first_tried_at IS NOT NULL OR not_before <= now()))::bigint, 0)
    FROM kernel.outbox WHERE sent_at IS NULL AND gave_up_at IS NULL
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_waiting() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_waiting() TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_waiting.sql', 'c64699111ba8be3c');
