-- The time zone of a location is one that this Postgres knows. The error has the name that a constraint of the column would
-- have. pg_timezone_names reads the files of all zones, which takes 0.1 s, so only when the company has no location there yet.
CREATE OR REPLACE FUNCTION counting.locations_timezone() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (
            SELECT FROM counting.locations AS l WHERE l.company_id = NEW.company_id AND l.timezone = NEW.timezone)
        AND NOT EXISTS (SELECT FROM pg_timezone_names AS z WHERE z.name = NEW.timezone)
    THEN
        RAISE EXCEPTION 'there is no time zone of this name' USING
            ERRCODE = 'check_violation', SCHEMA = 'counting', TABLE = 'locations', CONSTRAINT = 'locations_timezone_check';
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER locations_timezone BEFORE INSERT ON counting.locations
    FOR EACH ROW EXECUTE FUNCTION counting.locations_timezone();
CREATE OR REPLACE TRIGGER locations_timezone_update BEFORE UPDATE OF timezone ON counting.locations
    FOR EACH ROW WHEN (OLD.timezone IS DISTINCT FROM NEW.timezone) EXECUTE FUNCTION counting.locations_timezone();

-- A location has a state from the start. Its settings apply to the whole history at once; fold_days says how. The locations are locked in the
-- order of their companies and ids, as the triggers of entries lock them.
CREATE OR REPLACE FUNCTION counting.locations_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan SET work_mem = '64MB'
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    companies bigint[];
    changed bigint[];
    moved record;
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO counting.counter_states (company_id, id, location_id, noted_day, touched_in)
        SELECT
            l.company_id, l.id, l.id,
            counting.day_of(l.timezone, l.operational_boundary_hour, statement_timestamp()), pg_current_xact_id()
        FROM present AS l;
        RETURN NULL;
    END IF;
    SELECT array_agg(l.company_id), array_agg(l.id) INTO companies, changed
    FROM former AS f JOIN present AS l ON l.company_id = f.company_id AND l.id = f.id
    WHERE (f.max_capacity, f.timezone, f.operational_boundary_hour, f.stale_after_seconds, f.gateway_lease_seconds)
        IS DISTINCT FROM
        (l.max_capacity, l.timezone, l.operational_boundary_hour, l.stale_after_seconds, l.gateway_lease_seconds);
    PERFORM counting.lock_locations(companies, changed);
    FOR moved IN
        SELECT l.company_id, l.id FROM former AS f JOIN present AS l ON l.company_id = f.company_id AND l.id = f.id
        WHERE (f.timezone, f.operational_boundary_hour) IS DISTINCT FROM (l.timezone, l.operational_boundary_hour)
    LOOP
        PERFORM counting.fold_location(moved.company_id, moved.id);
    END LOOP;
    PERFORM counting.touch_states(companies, changed);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.locations_changed() FROM PUBLIC;

CREATE OR REPLACE TRIGGER locations_added AFTER INSERT ON counting.locations
    REFERENCING NEW TABLE AS present FOR EACH STATEMENT EXECUTE FUNCTION counting.locations_changed();
CREATE OR REPLACE TRIGGER locations_updated AFTER UPDATE ON counting.locations
    REFERENCING OLD TABLE AS former NEW TABLE AS present FOR EACH STATEMENT EXECUTE FUNCTION counting.locations_changed();

SELECT kernel.note_file('counting', 'functions/locations_changed.sql', '3b8fdf083dc0d29e');
