-- counter_snapshots.close_days: a snapshot of each ended day that has entries but none of its end. An ended day that gets its first
-- entries later is closed then, and one that is not folded yet after that. A state is changed when the day of its location has turned, so that the feed says it.
CREATE OR REPLACE FUNCTION counting.close_days() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present CONSTANT timestamptz := clock_timestamp();
    due bigint[];
    closed bigint;
BEGIN
    -- Two runs at once take turns, and the second one finds the snapshots of the first.
    due := ARRAY(
        SELECT s.location_id
        FROM counting.counter_states AS s
        JOIN counting.locations AS l ON l.company_id = s.company_id AND l.id = s.location_id
        WHERE s.company_id = kernel.company() AND (
            s.noted_day IS DISTINCT FROM counting.day_of(l.timezone, l.operational_boundary_hour, present) OR s.location_id IN (
                SELECT d.location_id FROM counting.days AS d
                WHERE d.company_id = kernel.company() AND d.ends_at <= present AND d.is_folded
                    AND NOT EXISTS (
                        SELECT FROM counting.counter_snapshots AS c
                        WHERE c.company_id = d.company_id AND c.location_id = d.location_id
                            AND c.operational_day = d.operational_day AND c.reason = 'day_end')))
        ORDER BY s.id FOR NO KEY UPDATE OF s);
    IF cardinality(due) = 0 THEN
        RETURN jsonb_build_object('closed', 0);
    END IF;
    UPDATE counting.counter_states AS s
    SET noted_day = counting.day_of(l.timezone, l.operational_boundary_hour, present), touched_in = pg_current_xact_id()
    FROM counting.locations AS l
    WHERE s.company_id = kernel.company() AND s.location_id = ANY (due)
        AND l.company_id = s.company_id AND l.id = s.location_id
        AND s.noted_day IS DISTINCT FROM counting.day_of(l.timezone, l.operational_boundary_hour, present);
    INSERT INTO counting.counter_snapshots (
        company_id, location_id, operational_day, starts_at, ends_at, reason, closing_count, total_in, total_out,
        peak_occupancy, average_occupancy, user_id)
    SELECT
        d.company_id, d.location_id, d.operational_day, d.starts_at, d.ends_at, 'day_end', f.closing, f.total_in, f.total_out,
        f.peak,
        round(f.area / (extract(epoch FROM d.ends_at - d.starts_at) * 1000000), 2), kernel.account()
    FROM counting.days AS d
    CROSS JOIN LATERAL (
        SELECT
            (array_agg(h.closing ORDER BY h.starts_at DESC))[1] AS closing, sum(h.total_in) AS total_in,
            sum(h.total_out) AS total_out, max(h.peak) AS peak, sum(h.area) AS area
        FROM counting.hours AS h
        WHERE h.company_id = d.company_id AND h.location_id = d.location_id
            AND h.starts_at >= d.starts_at AND h.starts_at < d.ends_at
    ) AS f
    WHERE d.company_id = kernel.company() AND d.location_id = ANY (due) AND d.ends_at <= present AND d.is_folded
        AND NOT EXISTS (
            SELECT FROM counting.counter_snapshots AS c
            WHERE c.company_id = d.company_id AND c.location_id = d.location_id AND c.operational_day = d.operational_day
                AND c.reason = 'day_end')
    ORDER BY d.ends_at, d.location_id;
    GET DIAGNOSTICS closed = ROW_COUNT;
    RETURN jsonb_build_object('closed', closed);
END
$$;

SELECT kernel.command_keep('counting', 'counting.close_days()', 'learntrack_admin');

SELECT kernel.note_file('counting', 'functions/close_days.sql', '101af10925062639');
