-- The companies of the installation, for workers: what runs for each of them. Nothing runs for one that is suspended, or
-- that is still arriving from another installation.
CREATE OR REPLACE FUNCTION kernel.job_companies() RETURNS TABLE (id bigint, name text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT c.id, c.name::text FROM kernel.companies AS c
    WHERE c.suspended_at IS NULL AND c.move IS DISTINCT FROM 'arriving' ORDER BY c.id
$$;

-- Runs the function of a job once for each company, as which it acts. What fails in one company is undone there, and the others
-- have theirs; the result says where and why, null if nothing has failed. Where there is one company, the error is that of the run.
-- One that has moved since the run has begun is passed by: its gate refuses what a job writes.
--
-- With the rights of the caller: a worker runs what it may.
CREATE OR REPLACE FUNCTION kernel.job_each(function text) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    call text := format('SELECT %s', (function || '()')::regprocedure);
    several CONSTANT boolean := kernel.serves_several();
    company record;
    failures text;
    failed integer := 0;
BEGIN
    PERFORM set_config('learntrack.job', function, true);
    FOR company IN SELECT c.id, c.name FROM kernel.job_companies() AS c LOOP
        PERFORM set_config('learntrack.company', company.id::text, true);
        IF NOT several THEN
            EXECUTE call;
        ELSE
            BEGIN
                EXECUTE call;
            EXCEPTION WHEN SQLSTATE 'LT308' THEN
                NULL;
            WHEN OTHERS THEN
                failed := failed + 1;
                -- One cause may concern them all.
                IF failed <= 3 THEN
                    failures := concat_ws('; ', failures, format('%s: %s (%s)', company.name, SQLERRM, SQLSTATE));
                END IF;
            END;
        END IF;
    END LOOP;
    PERFORM set_config('learntrack.company', '', true), set_config('learntrack.job', '', true);
    RETURN CASE WHEN failed > 3 THEN format('%s; and %s more', failures, failed - 3) ELSE failures END;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.job_companies(), kernel.job_each(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.job_companies(), kernel.job_each(text) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/job_each.sql', 'f02146bc7b395e1b');
