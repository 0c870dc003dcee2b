-- The day of a moment in the time zone of the service.
CREATE OR REPLACE FUNCTION kernel.local_day(moment timestamptz) RETURNS date
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT (moment AT TIME ZONE coalesce(nullif(pg_catalog.current_setting('learntrack.time_zone', true), ''), 'Europe/Paris'))::date
$$;

REVOKE EXECUTE ON FUNCTION kernel.local_day(timestamptz) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/local_day.sql', 'bee84389652f064d');
