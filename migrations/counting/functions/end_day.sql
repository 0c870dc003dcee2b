-- locations.end_day: a snapshot of the day so far, then entries by hand until the count is 0. They are of the instant at which the
-- snapshot ends, and not in it. If the count is 0, there are none.
CREATE OR REPLACE FUNCTION counting.end_day(location bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present timestamptz := counting.lock_state(location);
    made counting.counter_snapshots;
BEGIN
    UPDATE counting.counter_states AS s SET touched_in = pg_current_xact_id()
    WHERE s.company_id = kernel.company() AND s.location_id = location;
    -- Null if the location was deleted since the server has read it, which is answered with 404.
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    INSERT INTO counting.counter_snapshots (
        company_id, location_id, operational_day, starts_at, ends_at, reason, closing_count, total_in, total_out,
        peak_occupancy, average_occupancy, user_id, created_at, updated_at)
    SELECT
        l.company_id, location, d.operational_day, d.starts_at, present, 'admin', f.closing, f.total_in, f.total_out, f.peak,
        -- The area has a microsecond too much.
        coalesce(round((f.area - f.closing) / nullif(extract(epoch FROM present - d.starts_at) * 1000000, 0), 2), f.closing),
        kernel.account(), present, present
    FROM counting.locations AS l
    CROSS JOIN LATERAL (
        SELECT counting.day_of(l.timezone, l.operational_boundary_hour, present) AS operational_day
    ) AS t
    CROSS JOIN LATERAL (
        SELECT t.operational_day,
            counting.day_start(l.timezone, l.operational_boundary_hour, t.operational_day) AS starts_at
    ) AS d
    CROSS JOIN LATERAL (
        SELECT
            coalesce((array_agg(h.closing ORDER BY h.starts_at DESC))[1], 0) AS closing,
            coalesce(sum(h.total_in), 0) AS total_in, coalesce(sum(h.total_out), 0) AS total_out,
            coalesce(max(h.peak), 0) AS peak, coalesce(sum(h.area), 0) AS area
        -- The day so far has the entries of this instant.
        FROM counting.hours_between(l.company_id, location, d.starts_at, present + interval '1 microsecond') AS h
    ) AS f
    WHERE l.company_id = kernel.company() AND l.id = location
    RETURNING * INTO made;
    IF made.closing_count > 0 THEN
        PERFORM counting.enter_now(counting.manual_device(location), present, -1, made.closing_count);
    END IF;
    RETURN made.id;
END
$$;

SELECT kernel.command_keep('counting', 'counting.end_day(bigint)', 'learntrack_admin');

SELECT kernel.note_file('counting', 'functions/end_day.sql', '3c951ebd504b0d3a');
