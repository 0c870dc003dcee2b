-- Locks what is counted at a location, and returns the time, which is now for all that the command does: it comes after the entries
-- of the commands that had the lock before. Null if there is no such location.
CREATE OR REPLACE FUNCTION counting.lock_state(location bigint) RETURNS timestamptz
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM counting.counter_states AS s
    WHERE s.company_id = kernel.company() AND s.location_id = location FOR NO KEY UPDATE;
    RETURN CASE WHEN FOUND THEN clock_timestamp() END;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.lock_state(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.lock_state(bigint) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/lock_state.sql', '4c8af7a6245ed52c');
