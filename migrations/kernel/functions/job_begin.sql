-- Begins a run: locks the row of a job that is due until the end of the transaction. It raises the violation
-- `kernel_job_taken` if another server runs the job, or has run it.
CREATE OR REPLACE FUNCTION kernel.job_begin(begun text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM kernel.jobs AS j WHERE j.name = begun AND j.next_at <= now() FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'another server runs the job' USING ERRCODE = '23000', CONSTRAINT = 'kernel_job_taken';
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.job_begin(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.job_begin(text) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/job_begin.sql', 'f82194aebcee3af5');
