-- Makes the states of locations, each with its company, changed ones in the feed, once in a transaction.
CREATE OR REPLACE FUNCTION counting.touch_states(companies bigint[], locations bigint[]) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE counting.counter_states AS s SET touched_in = pg_current_xact_id()
    WHERE (s.company_id, s.location_id) IN (SELECT l.company_id, l.id FROM unnest(companies, locations) AS l (company_id, id))
        AND s.touched_in IS DISTINCT FROM pg_current_xact_id();
END
$$;

-- The function of the version before, without a company.
DROP FUNCTION IF EXISTS counting.touch_states(bigint[]);

SELECT kernel.note_file('counting', 'functions/touch_states.sql', '695d61b18fc7130f');
