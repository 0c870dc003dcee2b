-- Locks what is counted at locations, each with its company, by the rows of their states, in the order of their companies and ids.
-- Settings and entries are read after that, by another statement.
CREATE OR REPLACE FUNCTION counting.lock_locations(companies bigint[], locations bigint[]) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM counting.counter_states AS s
    WHERE (s.company_id, s.location_id) IN (SELECT l.company_id, l.id FROM unnest(companies, locations) AS l (company_id, id))
    ORDER BY s.company_id, s.location_id FOR NO KEY UPDATE OF s;
END
$$;

-- The function of the version before, without a company.
DROP FUNCTION IF EXISTS counting.lock_locations(bigint[]);

SELECT kernel.note_file('counting', 'functions/lock_locations.sql', 'e1a8a8a42e923ecd');
