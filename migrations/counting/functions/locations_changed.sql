-- The time zone of a location is one that this Postgres knows. The error has the name that a constraint of the column would have.
CREATE OR REPLACE FUNCTION counting.locations_timezone() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_timezone_names AS z WHERE z.name = NEW.timezone) THEN
        RAISE EXCEPTION 'there is no time zone of this name' USING
            ERRCODE = 'check_violation', SCHEMA = 'counting', TABLE = 'locations', CONSTRAINT = 'locations_timezone_check';
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER locations_timezone BEFORE INSERT ON counting.locations
    FOR EACH ROW EXECUTE FUNCTION counting.locations_timezone();
-- It reads the files of all zones, so only when the zone is another one.
CREATE OR REPLACE TRIGGER locations_timezone_update BEFORE UPDATE OF timezone ON counting.locations
    FOR EACH ROW WHEN (OLD.timezone IS DISTINCT FROM NEW.timezone) EXECUTE FUNCTION counting.locations_timezone();

-- A location has a state from the start. Its settings apply to the whole history at once.
CREATE OR REPLACE FUNCTION counting.locations_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET jit = off SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO counting.counter_states (id, location_id, noted_day, touched_in)
        VALUES (
            NEW.id, NEW.id, counting.day_of(NEW.timezone, NEW.operational_boundary_hour, statement_timestamp()),
            pg_current_xact_id());
        RETURN NULL;
    END IF;
    PERFORM counting.lock_location(NEW.id);
    IF (OLD.timezone, OLD.operational_boundary_hour) IS DISTINCT FROM (NEW.timezone, NEW.operational_boundary_hour) THEN
        PERFORM counting.fold_location(NEW.id);
    END IF;
    PERFORM counting.touch_states(ARRAY[NEW.id]);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.locations_changed() FROM PUBLIC;

CREATE OR REPLACE TRIGGER locations_added AFTER INSERT ON counting.locations
    FOR EACH ROW EXECUTE FUNCTION counting.locations_changed();
CREATE OR REPLACE TRIGGER locations_updated AFTER UPDATE ON counting.locations
    FOR EACH ROW
    WHEN (
        (OLD.max_capacity, OLD.timezone, OLD.operational_boundary_hour, OLD.stale_after_seconds, OLD.gateway_lease_seconds)
        IS DISTINCT FROM
        (NEW.max_capacity, NEW.timezone, NEW.operational_boundary_hour, NEW.stale_after_seconds, NEW.gateway_lease_seconds))
    EXECUTE FUNCTION counting.locations_changed();
