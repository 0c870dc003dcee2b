-- Locks what is counted at a location, by the row of its state. Settings and entries are read after that, by another
-- statement.
CREATE OR REPLACE FUNCTION counting.lock_location(location bigint) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM counting.counter_states AS s WHERE s.location_id = location FOR NO KEY UPDATE;
END
$$;

-- Of several locations in the order of their ids.
CREATE OR REPLACE FUNCTION counting.lock_locations(locations bigint[]) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM counting.counter_states AS s WHERE s.location_id = ANY (locations) ORDER BY s.location_id FOR NO KEY UPDATE;
END
$$;
