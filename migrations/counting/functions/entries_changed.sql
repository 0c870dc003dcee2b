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
    ELSIF TG_OP = 'INSERT' THEN
        IF (SELECT count(*) > 10000 FROM added) THEN
            bin := '1 minute';
        END IF;
        SELECT array_agg(b.location_id), array_agg(b.starts_at) INTO bins_locations, bins
        FROM (SELECT DISTINCT a.location_id, date_bin(bin, a."timestamp", epoch) AS starts_at FROM added AS a) AS b;
    ELSIF TG_OP = 'DELETE' THEN
        IF (SELECT count(*) > 10000 FROM removed) THEN
            bin := '1 minute';
        END IF;
        SELECT array_agg(b.location_id), array_agg(b.starts_at) INTO bins_locations, bins
        FROM (SELECT DISTINCT r.location_id, date_bin(bin, r."timestamp", epoch) AS starts_at FROM removed AS r) AS b;
    ELSE
        IF (SELECT count(*) > 10000 FROM added) THEN
            bin := '1 minute';
        END IF;
        -- An update that leaves these columns as they are changes no count.
        SELECT array_agg(b.location_id), array_agg(b.starts_at) INTO bins_locations, bins
        FROM (
            SELECT DISTINCT c.location_id, date_bin(bin, c."timestamp", epoch) AS starts_at
            FROM (
                (SELECT id, location_id, "timestamp", delta FROM removed
                 EXCEPT SELECT id, location_id, "timestamp", delta FROM added)
                UNION ALL
                (SELECT id, location_id, "timestamp", delta FROM added
                 EXCEPT SELECT id, location_id, "timestamp", delta FROM removed)
            ) AS c
        ) AS b;
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

CREATE OR REPLACE TRIGGER entries_added AFTER INSERT ON counting.entries
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION counting.entries_changed();
CREATE OR REPLACE TRIGGER entries_updated AFTER UPDATE ON counting.entries
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION counting.entries_changed();
CREATE OR REPLACE TRIGGER entries_removed AFTER DELETE ON counting.entries
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION counting.entries_changed();
CREATE OR REPLACE TRIGGER entries_truncated AFTER TRUNCATE ON counting.entries
    FOR EACH STATEMENT EXECUTE FUNCTION counting.entries_changed();
