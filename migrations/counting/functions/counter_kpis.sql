-- The view: the figures of an interval beside those of the one before it, and what has changed between them.
--
-- PL/pgSQL looks its functions up when it is called, so that the order of the files does not matter.
CREATE OR REPLACE FUNCTION counting.counter_kpis(
    location_id bigint, range text DEFAULT 'today', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL,
    granularity text DEFAULT NULL
)
    RETURNS SETOF counting.kpis
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1 SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    p record;
BEGIN
    SELECT * INTO p FROM counting.period(
        counter_kpis.location_id, counter_kpis.range, counter_kpis."from", counter_kpis."to", counter_kpis.granularity);
    IF NOT FOUND THEN RETURN; END IF;
    RETURN QUERY
    SELECT
        1::bigint,
        counter_kpis.location_id,
        p.since,
        p.until,
        p.bucket,
        f.total_in,
        f.total_out,
        f.net,
        f.peak_occupancy,
        f.peak_at,
        f.peak_bucket,
        f.peak_flow,
        f.peak_flow_bucket,
        f.average_occupancy,
        f.closing_count,
        p.previous_since,
        p.previous_until,
        b.total_in,
        b.total_out,
        b.net,
        b.peak_occupancy,
        b.peak_flow,
        b.average_occupancy,
        f.total_in - b.total_in,
        f.total_out - b.total_out,
        f.net - b.net,
        f.peak_occupancy - b.peak_occupancy,
        f.peak_flow - b.peak_flow,
        f.average_occupancy - b.average_occupancy
    FROM counting.period_figures(
        counter_kpis.location_id, p.timezone, p.boundary_hour, p.since, p.until, p.bucket
    ) AS f
    CROSS JOIN counting.period_figures(
        counter_kpis.location_id, p.timezone, p.boundary_hour, p.previous_since, p.previous_until, p.bucket
    ) AS b;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.counter_kpis(bigint, text, timestamptz, timestamptz, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.counter_kpis(bigint, text, timestamptz, timestamptz, text)
    TO learntrack_admin, learntrack_counting_viewer;

SELECT kernel.note_file('counting', 'functions/counter_kpis.sql', '3ebc163cf8d7f425');
