-- The triggers that keep what is added up from entries, whichever way these are written. They lock the locations in the
-- order of their companies and ids. What they read after that has the entries of all transactions that had the locks before.
CREATE OR REPLACE FUNCTION counting.entries_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan SET work_mem = '64MB'
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    epoch constant timestamptz := '0001-01-01 00:00:00+00';
    -- Many entries are recounted by the minute.
    bin interval := '1 second';
    bins_companies bigint[];
    bins_locations bigint[];
    bins timestamptz[];
    changed record;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        -- The table is empty in every company.
        PERFORM FROM counting.counter_states AS s ORDER BY s.company_id, s.location_id FOR NO KEY UPDATE;
        DELETE FROM counting.minutes;
        DELETE FROM counting.hours;
        DELETE FROM counting.days;
        SELECT array_agg(s.company_id), array_agg(s.location_id) INTO bins_companies, bins_locations
        FROM counting.counter_states AS s;
        PERFORM counting.touch_states(bins_companies, bins_locations);
        RETURN NULL;
    END IF;
    IF (SELECT count(*) > 10000 FROM touched) THEN
        bin := '1 minute';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- An update that leaves these columns as they are changes no count.
        SELECT array_agg(b.company_id), array_agg(b.location_id), array_agg(b.starts_at)
            INTO bins_companies, bins_locations, bins
        FROM (
            SELECT DISTINCT c.company_id, c.location_id, date_bin(bin, c."timestamp", epoch) AS starts_at
            FROM (
                (SELECT company_id, id, location_id, "timestamp", delta FROM replaced
                 EXCEPT SELECT company_id, id, location_id, "timestamp", delta FROM touched)
                UNION ALL
                (SELECT company_id, id, location_id, "timestamp", delta FROM touched
                 EXCEPT SELECT company_id, id, location_id, "timestamp", delta FROM replaced)
            ) AS c
        ) AS b;
    ELSE
        SELECT array_agg(b.company_id), array_agg(b.location_id), array_agg(b.starts_at)
            INTO bins_companies, bins_locations, bins
        FROM (
            SELECT DISTINCT t.company_id, t.location_id, date_bin(bin, t."timestamp", epoch) AS starts_at
            FROM touched AS t
        ) AS b;
    END IF;
    IF bins IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM counting.lock_locations(bins_companies, bins_locations);
    FOR changed IN
        SELECT b.company_id, b.location_id, array_agg(b.starts_at) AS bins
        FROM unnest(bins_companies, bins_locations, bins) AS b (company_id, location_id, starts_at)
        GROUP BY b.company_id, b.location_id
    LOOP
        PERFORM counting.recount(changed.company_id, changed.location_id, changed.bins, bin, TG_OP = 'INSERT');
    END LOOP;
    PERFORM counting.touch_states(bins_companies, bins_locations);
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

SELECT kernel.note_file('counting', 'functions/entries_changed.sql', '9dea56ae43d948d9');
