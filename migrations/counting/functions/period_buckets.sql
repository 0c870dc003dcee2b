-- Every bucket of an interval in its order, cut to it: hours elapsed since the start of their operational day, operational
-- days, or months of these. A day that a zone skips has no hour and is no bucket.
CREATE OR REPLACE FUNCTION counting.period_buckets(
    timezone text, boundary_hour integer, since timestamptz, until timestamptz, bucket text
)
    RETURNS TABLE (bucket_start timestamptz, bucket_end timestamptz, operational_day date)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        greatest(parts.part_start, period_buckets.since),
        least(parts.part_end, period_buckets.until),
        greatest(parts.day, ends.first)
    FROM (
        SELECT
            counting.day_of(period_buckets.timezone, period_buckets.boundary_hour, period_buckets.since) AS first,
            counting.day_of(
                period_buckets.timezone, period_buckets.boundary_hour,
                period_buckets.until - interval '1 microsecond'
            ) AS last,
            CASE WHEN period_buckets.bucket = 'month' THEN interval '1 month' ELSE interval '1 day' END AS step
    ) AS ends
    CROSS JOIN LATERAL generate_series(
        date_trunc(CASE WHEN period_buckets.bucket = 'month' THEN 'month' ELSE 'day' END, ends.first::timestamp),
        ends.last::timestamp,
        ends.step
    ) AS dates (date)
    CROSS JOIN LATERAL (
        SELECT
            dates.date::date AS day,
            counting.day_start(period_buckets.timezone, period_buckets.boundary_hour, dates.date::date) AS day_start,
            counting.day_start(
                period_buckets.timezone, period_buckets.boundary_hour, (dates.date + ends.step)::date) AS day_end
    ) AS days
    CROSS JOIN LATERAL (
        SELECT days.day, days.day_start AS part_start, days.day_end AS part_end
        WHERE period_buckets.bucket <> 'hour'
        UNION ALL
        SELECT days.day, hours.hour, least(hours.hour + interval '1 hour', days.day_end)
        FROM generate_series(days.day_start, days.day_end - interval '1 microsecond', interval '1 hour') AS hours (hour)
        WHERE period_buckets.bucket = 'hour'
    ) AS parts
    WHERE greatest(parts.part_start, period_buckets.since) < least(parts.part_end, period_buckets.until)
    ORDER BY parts.part_start;
END;

REVOKE EXECUTE ON FUNCTION counting.period_buckets(text, integer, timestamptz, timestamptz, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.period_buckets(text, integer, timestamptz, timestamptz, text)
    TO learntrack_admin, learntrack_counting_viewer;

SELECT kernel.note_file('counting', 'functions/period_buckets.sql', 'e23226d6a94dc6d8');
