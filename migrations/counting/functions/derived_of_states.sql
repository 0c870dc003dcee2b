-- What a state says of its location at the time of the statement.

CREATE OR REPLACE FUNCTION counting.current_count(state counting.counter_states) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN counting.count_at((state).company_id, (state).location_id, statement_timestamp());

-- Full from 100 % of the capacity, a warning from 80 %.
CREATE OR REPLACE FUNCTION counting.status_of(current_count integer, max_capacity integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN current_count >= max_capacity THEN 'full'
        WHEN current_count::bigint * 5 >= max_capacity::bigint * 4 THEN 'warning'
        ELSE 'ok'
    END;

CREATE OR REPLACE FUNCTION counting.status(state counting.counter_states) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT counting.status_of(counting.current_count(state), l.max_capacity)
        FROM counting.locations AS l WHERE l.company_id = (state).company_id AND l.id = (state).location_id);

CREATE OR REPLACE FUNCTION counting.occupancy_percent(state counting.counter_states) RETURNS numeric
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT round(100.0 * counting.current_count(state) / l.max_capacity, 1)
        FROM counting.locations AS l WHERE l.company_id = (state).company_id AND l.id = (state).location_id);

CREATE OR REPLACE FUNCTION counting.remaining(state counting.counter_states) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT greatest(0, l.max_capacity - counting.current_count(state))
        FROM counting.locations AS l WHERE l.company_id = (state).company_id AND l.id = (state).location_id);

-- From the last minute that has entries: a location without any does not read those of the others.
CREATE OR REPLACE FUNCTION counting.last_event_at(state counting.counter_states) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT m.last_at FROM counting.minutes AS m
        WHERE m.company_id = (state).company_id AND m.location_id = (state).location_id
        ORDER BY m.starts_at DESC LIMIT 1);

-- Whole seconds. psql can give an entry a later time than the present one.
CREATE OR REPLACE FUNCTION counting.freshness_seconds(state counting.counter_states) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        -- greatest ignores null: without an entry there is no freshness.
        SELECT greatest(0, floor(extract(epoch FROM statement_timestamp() - l.at))::bigint)
        FROM (SELECT counting.last_event_at(state) AS at) AS l WHERE l.at IS NOT NULL);

CREATE OR REPLACE FUNCTION counting.is_online(state counting.counter_states) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT coalesce(
            (state).last_device_seen_at >= statement_timestamp() - make_interval(secs => l.stale_after_seconds), false)
        FROM counting.locations AS l WHERE l.company_id = (state).company_id AND l.id = (state).location_id);

CREATE OR REPLACE FUNCTION counting.gateway_conflict(state counting.counter_states) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT coalesce(
            (state).gateway_conflict_at > statement_timestamp() - make_interval(secs => l.gateway_lease_seconds), false)
        FROM counting.locations AS l WHERE l.company_id = (state).company_id AND l.id = (state).location_id);

-- The function of the version before, without a company. `current_count` called it until it was replaced above.
DROP FUNCTION IF EXISTS counting.count_at(bigint, timestamptz, boolean);

SELECT kernel.note_file('counting', 'functions/derived_of_states.sql', 'd31a1be61c90324e');
