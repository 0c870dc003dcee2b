-- Makes the states of locations changed ones in the feed, once in a transaction.
CREATE OR REPLACE FUNCTION counting.touch_states(locations bigint[]) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE counting.counter_states AS s SET touched_in = pg_current_xact_id()
    WHERE s.location_id = ANY (locations) AND s.touched_in IS DISTINCT FROM pg_current_xact_id();
END
$$;

SELECT kernel.note_file('counting', 'functions/touch_states.sql', '7f2fb863b7d29afa');
