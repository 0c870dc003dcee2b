-- Notes the end of a run in its transaction, or in a further one that it has failed. A daily job that fails is repeated after a
-- minute, then after twice as long each time, up to an hour.
CREATE OR REPLACE FUNCTION kernel.job_end(ended text, error text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE kernel.jobs AS j
    SET last_started_at = now(), last_ended_at = clock_timestamp(), last_error = left($2, 500),
        failures = CASE WHEN $2 IS NULL THEN 0 ELSE j.failures + 1 END,
        next_at = CASE
            WHEN $2 IS NULL OR j.schedule LIKE 'every %' THEN kernel.job_next(j.schedule, clock_timestamp())
            ELSE least(
                kernel.job_next(j.schedule, clock_timestamp()),
                clock_timestamp() + least(interval '1 hour', interval '1 minute' * 2 ^ least(j.failures, 6)))
        END
    WHERE j.name = $1 AND ($2 IS NULL OR j.next_at <= now());
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.job_end(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.job_end(text, text) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/job_end.sql', '7c8d6ffc490d1482');
