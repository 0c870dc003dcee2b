-- Removes the changes that are older than the retention, the oldest at_most of them, and returns how many. Only one
-- call at a time removes rows; a concurrent call returns 0.
--
-- It also removes the rows of transactions that this database has not begun: they come from a dump of another cluster,
-- where transactions have other numbers.
--
-- If the row of kernel.changes_removed is missing, it is unknown what was removed. The function enters the row again: readers that
-- continue from before this moment begin anew, and the others go on.
CREATE OR REPLACE FUNCTION kernel.feed_prune(retention interval, at_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present pg_snapshot := pg_current_snapshot();
    removed integer;
BEGIN
    IF NOT EXISTS (SELECT FROM kernel.changes_removed) THEN
        RAISE WARNING 'kernel.changes_removed had no row, which was entered again: readers of the change feed begin anew';
        INSERT INTO kernel.changes_removed (xid, id) VALUES (pg_snapshot_xmin(present), 0) ON CONFLICT DO NOTHING;
    END IF;
    IF NOT pg_try_advisory_xact_lock('kernel.changes'::regclass::oid::bigint) THEN
        RETURN 0;
    END IF;
    -- The snapshot of this statement and not an earlier one: a transaction that has ended in between is this cluster's.
    DELETE FROM kernel.changes WHERE xid >= pg_snapshot_xmax(pg_current_snapshot());
    WITH expired AS (
        DELETE FROM kernel.changes AS c
        USING (
            SELECT xid, id, at FROM kernel.changes
            WHERE xid < pg_snapshot_xmin(present)
            ORDER BY xid, id
            LIMIT at_most
        ) AS oldest
        WHERE c.xid = oldest.xid AND c.id = oldest.id AND oldest.at < now() - retention
        RETURNING c.xid, c.id
    ), last AS (
        SELECT xid, id FROM expired ORDER BY xid DESC, id DESC LIMIT 1
    ), noted AS (
        UPDATE kernel.changes_removed AS r SET xid = last.xid, id = last.id
        FROM last WHERE (r.xid, r.id) < (last.xid, last.id)
    )
    SELECT count(*) INTO removed FROM expired;
    RETURN removed;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.feed_prune(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.feed_prune(interval, integer) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/feed_prune.sql', '0c7a33cceba3e2d7');
