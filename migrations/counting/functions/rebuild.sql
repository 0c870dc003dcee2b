-- The function of the version before, without a company. It goes first: a call with one argument would fit both.
DROP FUNCTION IF EXISTS counting.rebuild(bigint);

-- Makes everything anew that is added up from the entries of a location. No write needs it: it is for after a new release of
-- the time zones, and for entries that were written without their triggers.
--
--     SELECT counting.rebuild(id, company_id) FROM counting.locations ORDER BY company_id, id;
CREATE OR REPLACE FUNCTION counting.rebuild(location bigint, company bigint DEFAULT kernel.company()) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan SET work_mem = '64MB'
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    epoch constant timestamptz := '0001-01-01 00:00:00+00';
BEGIN
    PERFORM counting.lock_locations(ARRAY[company], ARRAY[location]);
    DELETE FROM counting.minutes AS m WHERE m.company_id = company AND m.location_id = location;
    DELETE FROM counting.hours AS h WHERE h.company_id = company AND h.location_id = location;
    DELETE FROM counting.days AS d WHERE d.company_id = company AND d.location_id = location;
    PERFORM counting.recount(
        company, location,
        ARRAY(
            SELECT DISTINCT date_bin('1 minute', e."timestamp", epoch)
            FROM counting.entries AS e WHERE e.company_id = company AND e.location_id = location),
        '1 minute', true);
    PERFORM counting.touch_states(ARRAY[company], ARRAY[location]);
END
$$;

REVOKE EXECUTE ON FUNCTION counting.rebuild(bigint, bigint) FROM PUBLIC;

SELECT kernel.note_file('counting', 'functions/rebuild.sql', '2669102a81cc59e7');
