-- Of these jobs, those that no server is running: in how many seconds each is due, and when its last run has ended.
CREATE OR REPLACE FUNCTION kernel.jobs_due(names text[])
    RETURNS TABLE (name text, seconds double precision, ended double precision, failures integer)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    -- The lock ends with this statement; it is there to leave out rows that a run has locked.
    SELECT j.name, extract(epoch FROM j.next_at - now())::double precision,
        extract(epoch FROM j.last_ended_at)::double precision, j.failures
    FROM kernel.jobs AS j WHERE j.name = ANY ($1) FOR KEY SHARE SKIP LOCKED
$$;

REVOKE EXECUTE ON FUNCTION kernel.jobs_due(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.jobs_due(text[]) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/jobs_due.sql', 'c8e646e01a90da9e');
