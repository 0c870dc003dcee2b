-- Folds some days of a location whose settings have changed, the latest first. A slice takes about a second, for which the
-- location is locked; its devices wait that long at most. The state is changed at the end, so that the feed says it.
CREATE OR REPLACE FUNCTION counting.fold_waiting_days(slice integer DEFAULT 30) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan SET work_mem = '64MB'
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    location bigint := (SELECT min(d.location_id) FROM counting.days AS d WHERE NOT d.is_folded);
BEGIN
    IF location IS NULL THEN
        RETURN;
    END IF;
    PERFORM counting.lock_locations(ARRAY[location]);
    PERFORM counting.fold_days(location, ARRAY(
        SELECT (d.operational_day, d.starts_at, d.ends_at, d.starts_at)::counting.touched_day
        FROM counting.days AS d WHERE d.location_id = location AND NOT d.is_folded
        ORDER BY d.starts_at DESC LIMIT slice));
    IF NOT EXISTS (SELECT FROM counting.days AS d WHERE d.location_id = location AND NOT d.is_folded) THEN
        PERFORM counting.touch_states(ARRAY[location]);
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.fold_waiting_days(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.fold_waiting_days(integer) TO learntrack_counting_commands;

-- The job locations.fold_days.
CREATE OR REPLACE FUNCTION counting.fold_days_by_and_by() RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'SELECT counting.fold_waiting_days()';

SELECT kernel.worker_keep('counting', 'counting.fold_days_by_and_by()');

SELECT kernel.note_file('counting', 'functions/fold_waiting_days.sql');
