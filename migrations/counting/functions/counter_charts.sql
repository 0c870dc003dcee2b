-- The view: every bucket of an interval, also those without entries. Ids count from 1. It refuses an interval of more than
-- 10,000 hours or days in this granularity.
CREATE OR REPLACE FUNCTION counting.counter_charts(
    location_id bigint, range text DEFAULT 'today', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL,
    granularity text DEFAULT NULL
)
    RETURNS SETOF counting.chart_bucket
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    p record;
BEGIN
    SELECT * INTO p FROM counting.period(
        counter_charts.location_id, counter_charts.range, counter_charts."from", counter_charts."to",
        counter_charts.granularity);
    IF NOT FOUND THEN RETURN; END IF;
    IF p.bucket IN ('hour', 'day') AND p.until - p.since > 10000 * ('1 ' || p.bucket)::interval THEN
        RAISE EXCEPTION 'more than 10,000 buckets'
            USING ERRCODE = '23000', CONSTRAINT = 'counter_charts_buckets', DETAIL = '{}', HINT = '/granularity';
    END IF;
    RETURN QUERY
    WITH hours AS (
        SELECT
            h.*,
            counting.period_bucket(
                p.timezone, p.boundary_hour, p.bucket, p.since, h.operational_day, h.starts_at) AS bucket_start
        FROM counting.hours_between(kernel.company(), counter_charts.location_id, p.since, p.until) AS h
    ), figures AS MATERIALIZED (
        SELECT
            h.bucket_start,
            sum(h.total_in)::bigint AS total_in,
            sum(h.total_out)::bigint AS total_out,
            max(h.peak)::bigint AS peak,
            sum(h.area) AS area,
            max(h.ends_at) AS last_end,
            (array_agg(h.closing::bigint ORDER BY h.starts_at DESC))[1] AS closing
        FROM hours AS h
        GROUP BY h.bucket_start
    )
    SELECT
        row_number() OVER (ORDER BY b.bucket_start),
        counter_charts.location_id,
        b.bucket_start,
        b.bucket_end,
        b.operational_day,
        coalesce(f.total_in, 0),
        coalesce(f.total_out, 0),
        coalesce(f.total_in - f.total_out, 0),
        coalesce(f.total_in + f.total_out, 0),
        coalesce(f.peak, 0),
        counting.period_average(f.area, b.bucket_start, b.bucket_end),
        -- A month whose last day has no entries ends with an occupancy of 0.
        CASE WHEN f.last_end = b.bucket_end THEN f.closing ELSE 0 END
    FROM counting.period_buckets(p.timezone, p.boundary_hour, p.since, p.until, p.bucket) AS b
    LEFT JOIN figures AS f ON f.bucket_start = b.bucket_start;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.counter_charts(bigint, text, timestamptz, timestamptz, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.counter_charts(bigint, text, timestamptz, timestamptz, text)
    TO learntrack_admin, learntrack_counting_viewer;

SELECT kernel.note_file('counting', 'functions/counter_charts.sql', 'd21e173f62f551fd');
