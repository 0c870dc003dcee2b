-- When a job of this schedule runs next, after a time. A time of day that a day does not have, because clocks go forward, is that
-- much later.
CREATE OR REPLACE FUNCTION kernel.job_next(schedule text, after timestamptz) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    zone text := coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'UTC');
    given text := split_part(schedule, ' ', 2);
    today date := (after AT TIME ZONE zone)::date;
    next timestamptz;
BEGIN
    IF split_part(schedule, ' ', 1) = 'every' THEN
        RETURN after + make_interval(secs => given::double precision);
    END IF;
    next := (today + given::time) AT TIME ZONE zone;
    RETURN CASE WHEN next > after THEN next ELSE (today + 1 + given::time) AT TIME ZONE zone END;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.job_next(text, timestamptz) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/job_next.sql', '91290bb470dc3c26');
