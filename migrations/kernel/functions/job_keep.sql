-- Enters a job, or another schedule of it. A job that was due while no server ran stays due; any other runs when the new
-- schedule says, and not at the time of the old one as well.
CREATE OR REPLACE FUNCTION kernel.job_keep(kept text, given text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO kernel.jobs AS j (name, schedule, next_at)
    VALUES ($1, $2, CASE WHEN $2 LIKE 'every %' THEN now() ELSE kernel.job_next($2, now()) END)
    ON CONFLICT (name) DO UPDATE
        SET schedule = excluded.schedule, next_at = CASE WHEN j.next_at <= now() THEN j.next_at ELSE excluded.next_at END
        WHERE j.schedule <> excluded.schedule;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.job_keep(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.job_keep(text, text) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/job_keep.sql', 'e119349b341df9c8');
