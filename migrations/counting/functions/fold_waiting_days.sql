-- Folds days of a location of any company that is not suspended, whose settings have changed, the latest first, for about so long and at least one. The location is
-- locked meanwhile: its devices wait that long at most, which must be shorter than the lock timeout of their calls. The state is
-- changed at the end, so that the feed says it.
CREATE OR REPLACE FUNCTION counting.fold_waiting_days(time_limit interval DEFAULT '200 ms') RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan SET work_mem = '64MB'
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    company bigint;
    location bigint;
    begun_at timestamptz;
    day counting.touched_day;
BEGIN
    SELECT d.company_id, d.location_id INTO company, location
    FROM counting.days AS d WHERE NOT d.is_folded
        AND NOT EXISTS (SELECT FROM kernel.companies AS c WHERE c.id = d.company_id AND (c.suspended_at IS NOT NULL OR c.move = 'arriving'))
    ORDER BY d.company_id, d.location_id LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM counting.lock_locations(ARRAY[company], ARRAY[location]);
    begun_at := clock_timestamp();
    LOOP
        SELECT d.operational_day, d.starts_at, d.ends_at, d.starts_at INTO day
        FROM counting.days AS d WHERE d.company_id = company AND d.location_id = location AND NOT d.is_folded
        ORDER BY d.starts_at DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        PERFORM counting.fold_days(company, location, ARRAY[day]);
        IF clock_timestamp() - begun_at >= time_limit THEN
            RETURN;
        END IF;
    END LOOP;
    PERFORM counting.touch_states(ARRAY[company], ARRAY[location]);
END
$$;

REVOKE EXECUTE ON FUNCTION counting.fold_waiting_days(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.fold_waiting_days(interval) TO learntrack_counting_commands;

-- The job locations.fold_days.
CREATE OR REPLACE FUNCTION counting.fold_days_by_and_by() RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$ SELECT counting.fold_waiting_days('200 ms') $$;

SELECT kernel.worker_keep('counting', 'counting.fold_days_by_and_by()');

SELECT kernel.note_file('counting', 'functions/fold_waiting_days.sql', '8d0f58c56faa3c02');
