-- The triggers that keep what is added up from entries, whichever way these are written. They lock the locations in the
-- order of their ids. What they read after that has the entries of all transactions that had the locks before.
CREATE OR REPLACE FUNCTION counting.entries_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan SET work_mem = '64MB'
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    epoch constant timestamptz := '0001-01-01 00:00:00+00';
    -- Many entries are recounted by the minute.
    bin interval := '1 second';
    bins_locations bigint[];
    bins timestamptz[];
    changed record;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        PERFORM FROM counting.counter_states AS s ORDER BY s.location_id FOR NO KEY UPDATE;
        DELETE FROM counting.minutes;
        DELETE FROM counting.hours;
        DELETE FROM counting.days;
        PERFORM counting.touch_states(ARRAY(SELECT s.location_id FROM counting.counter_states AS s));
        RETURN NULL;
    END IF;
    IF (SELECT count(*) > 10000 FROM touched) THEN
        bin := '1 minute';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- An update that leaves these columns as they are changes no count.
        SELECT array_agg(b.location_id), array_agg(b.starts_at) INTO bins_locations, bins
        FROM (
            SELECT DISTINCT c.location_id, date_bin(bin, c."timestamp", epoch) AS starts_at
            FROM (
                (SELECT id, location_id, "timestamp", delta FROM replaced
                 EXCEPT SELECT id, location_id, "timestamp", delta FROM touched)
                UNION ALL
                (SELECT id, location_id, "timestamp", delta FROM touched
                 EXCEPT SELECT id, location_id, "timestamp", delta FROM replaced)
            ) AS c
        ) AS b;
    ELSE
        SELECT array_agg(b.location_id), array_agg(b.starts_at) INTO bins_locations, bins
        FROM (SELECT DISTINCT t.location_id, date_bin(bin, t."timestamp", epoch) AS starts_at FROM touched AS t) AS b;
    END IF;
    IF bins IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM counting.lock_locations(bins_locations);
    FOR changed IN
        SELECT b.location_id, array_agg(b.starts_at) AS bins
        FROM unnest(bins_locations, bins) AS b (location_id, starts_at)
        GROUP BY b.location_id
    LOOP
        PERFORM counting.recount(changed.location_id, changed.bins, bin, TG_OP = 'INSERT');
    END LOOP;
    PERFORM counting.touch_states(bins_locations);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.entries_changed() FROM PUBLIC;

-- `touched` are the rows that a statement has added or removed, or those that it has changed as they are now.
CREATE OR REPLACE TRIGGER entries_added AFTER INSERT ON counting.entries
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION counting.entries_changed();
CREATE OR REPLACE TRIGGER entries_updated AFTER UPDATE ON counting.entries
    REFERENCING OLD TABLE AS replaced NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION counting.entries_changed();
CREATE OR REPLACE TRIGGER entries_removed AFTER DELETE ON counting.entries
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION counting.entries_changed();
CREATE OR REPLACE TRIGGER entries_truncated AFTER TRUNCATE ON counting.entries
    FOR EACH STATEMENT EXECUTE FUNCTION counting.entries_changed();

SELECT kernel.note_file('counting', 'functions/entries_changed.sql', '3f323e13bb2a1312');
