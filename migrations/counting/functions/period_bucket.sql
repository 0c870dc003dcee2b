-- The start of the bucket that has an hour of an operational day, cut to an interval that starts at `since`. The hour is
-- given as it is cut itself.
CREATE OR REPLACE FUNCTION counting.period_bucket(
    timezone text, boundary_hour integer, bucket text, since timestamptz, operational_day date, hour timestamptz
)
    RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE bucket
        WHEN 'hour' THEN hour
        WHEN 'day' THEN greatest(since, counting.day_start(timezone, boundary_hour, operational_day))
        WHEN 'month' THEN greatest(
            since, counting.day_start(timezone, boundary_hour, date_trunc('month', operational_day::timestamp)::date))
    END;

REVOKE EXECUTE ON FUNCTION counting.period_bucket(text, integer, text, timestamptz, date, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.period_bucket(text, integer, text, timestamptz, date, timestamptz)
    TO learntrack_admin, learntrack_counting_viewer;

SELECT kernel.note_file('counting', 'functions/period_bucket.sql', '243d8f3ecfca4493');
