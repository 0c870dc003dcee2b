-- The command jobs.run: makes a job due. Returns the job's id, or null if there is none, or none for administrators: with several
-- companies a job is the operator's. One that runs now is refused: its row is
-- locked until it ends.
CREATE OR REPLACE FUNCTION kernel.job_run(id bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF kernel.serves_several() THEN
        RETURN NULL;
    END IF;
    PERFORM FROM kernel.jobs AS j WHERE j.id = job_run.id FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE kernel.jobs AS j SET next_at = least(j.next_at, clock_timestamp()) WHERE j.id = job_run.id;
    ELSIF EXISTS (SELECT FROM kernel.jobs AS j WHERE j.id = job_run.id) THEN
        PERFORM kernel.refuse('jobs_running');
    ELSE
        RETURN NULL;
    END IF;
    RETURN job_run.id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.job_run(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.job_run(bigint) TO learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/job_run.sql', '03fadbfd17f1e2c8');
