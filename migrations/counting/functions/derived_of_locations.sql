-- The present operational day of a location, and how much of its history has settings that are not worked in yet. The time is that of the statement: a transaction may have waited for a lock.

CREATE OR REPLACE FUNCTION counting.operational_day(location counting.locations) RETURNS date
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN counting.day_of(
        (location).timezone, (location).operational_boundary_hour, statement_timestamp());

CREATE OR REPLACE FUNCTION counting.days_to_fold(location counting.locations) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT count(*) FROM counting.days AS d
        WHERE d.company_id = (location).company_id AND d.location_id = (location).id AND NOT d.is_folded);

CREATE OR REPLACE FUNCTION counting.day_started_at(location counting.locations) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN counting.day_start(
        (location).timezone, (location).operational_boundary_hour, counting.operational_day(location));

CREATE OR REPLACE FUNCTION counting.day_ends_at(location counting.locations) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN counting.day_start(
        (location).timezone, (location).operational_boundary_hour, counting.operational_day(location) + 1);

SELECT kernel.note_file('counting', 'functions/derived_of_locations.sql', '47fda786735f78d2');
