-- Locks what is counted at locations, by the rows of their states, in the order of their ids. Settings and entries are read after
-- that, by another statement.
CREATE OR REPLACE FUNCTION counting.lock_locations(locations bigint[]) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM counting.counter_states AS s WHERE s.location_id = ANY (locations) ORDER BY s.location_id FOR NO KEY UPDATE;
END
$$;

SELECT kernel.note_file('counting', 'functions/lock_locations.sql', 'b085bf54b860127b');
