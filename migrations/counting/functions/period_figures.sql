-- The figures of an interval. One row also for an interval without entries or without length.
--
-- Only days with entries have rows of hours. On other days the occupancy is 0.
CREATE OR REPLACE FUNCTION counting.period_figures(
    location_id bigint, timezone text, boundary_hour integer, since timestamptz, until timestamptz, bucket text
)
    RETURNS SETOF counting.figures
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    WITH hours AS MATERIALIZED (
        SELECT
            h.total_in,
            h.total_out,
            h.peak,
            h.peak_at,
            h.area,
            h.closing,
            h.ends_at,
            counting.period_bucket(
                period_figures.timezone, period_figures.boundary_hour, period_figures.bucket, period_figures.since,
                h.operational_day, h.starts_at
            ) AS bucket
        FROM counting.hours_between(
            kernel.company(), period_figures.location_id, period_figures.since, period_figures.until) AS h
    ), flows AS (
        SELECT hours.bucket, sum(hours.total_in + hours.total_out)::bigint AS flow
        FROM hours
        GROUP BY hours.bucket
    )
    SELECT
        totals.total_in,
        totals.total_out,
        totals.total_in - totals.total_out,
        coalesce(top.peak, 0),
        CASE WHEN top.peak > 0 THEN top.peak_at ELSE period_figures.since END,
        CASE WHEN top.peak > 0 THEN top.bucket END,
        coalesce(busiest.flow, 0),
        CASE WHEN busiest.flow > 0 THEN busiest.bucket END,
        counting.period_average(totals.area, period_figures.since, period_figures.until),
        totals.closing
    FROM (
        SELECT
            coalesce(sum(h.total_in), 0)::bigint AS total_in,
            coalesce(sum(h.total_out), 0)::bigint AS total_out,
            sum(h.area) AS area,
            coalesce(max(h.closing) FILTER (WHERE h.ends_at = period_figures.until), 0) AS closing
        FROM hours AS h
    ) AS totals
    LEFT JOIN (
        SELECT h.peak, h.peak_at, h.bucket FROM hours AS h ORDER BY h.peak DESC, h.peak_at LIMIT 1
    ) AS top ON true
    LEFT JOIN (SELECT f.flow, f.bucket FROM flows AS f ORDER BY f.flow DESC, f.bucket LIMIT 1) AS busiest ON true;
END;

REVOKE EXECUTE ON FUNCTION counting.period_figures(bigint, text, integer, timestamptz, timestamptz, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.period_figures(bigint, text, integer, timestamptz, timestamptz, text)
    TO learntrack_admin, learntrack_counting_viewer;

-- The function of the version before, without a company. The one above and `overcrowdings` called it until they were replaced.
DROP FUNCTION IF EXISTS counting.hours_between(bigint, timestamptz, timestamptz);

SELECT kernel.note_file('counting', 'functions/period_figures.sql', '0258f8f37d23a282');
