-- Removes messages that left, or were given up, before the retention, at_most of them.
CREATE OR REPLACE FUNCTION kernel.outbox_prune(retention interval, at_most integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH removed AS (
        DELETE FROM kernel.outbox AS o USING (
            SELECT id FROM kernel.outbox
            WHERE (sent_at IS NOT NULL OR gave_up_at IS NOT NULL) AND coalesce(sent_at, gave_up_at) < now() - $1
            ORDER BY coalesce(sent_at, gave_up_at)
            LIMIT $2
            FOR UPDATE SKIP LOCKED
        ) AS old
        WHERE o.id = old.id
        RETURNING o.id
    )
    SELECT count(*)::integer FROM removed
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_prune(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_prune(interval, integer) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_prune.sql', 'd01f7863774cd15a');
