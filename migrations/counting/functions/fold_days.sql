-- Keeps counting.days and counting.hours of operational days of a location, in each of them from an instant on. The location is
-- locked.
CREATE OR REPLACE FUNCTION counting.fold_days(location bigint, touched date[], first_instants timestamptz[]) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    settings counting.locations;
    filled counting.days[];
    emptied date[];
BEGIN
    SELECT * INTO settings FROM counting.locations AS l WHERE l.id = location;
    SELECT array_agg((location, d.day, d.starts_at, d.ends_at)::counting.days) FILTER (WHERE d.is_filled),
        array_agg(d.day) FILTER (WHERE NOT d.is_filled)
    INTO filled, emptied
    FROM (
        SELECT s.*, EXISTS (
            SELECT FROM counting.entries AS e
            WHERE e.location_id = location AND e."timestamp" >= s.starts_at AND e."timestamp" < s.ends_at) AS is_filled
        FROM (
            SELECT t.day,
                counting.day_start(settings.timezone, settings.operational_boundary_hour, t.day) AS starts_at,
                counting.day_start(settings.timezone, settings.operational_boundary_hour, t.day + 1) AS ends_at
            FROM unnest(touched) AS t (day)
        ) AS s
    ) AS d;
    IF emptied IS NOT NULL THEN
        DELETE FROM counting.hours AS h
        USING counting.days AS d
        WHERE d.location_id = location AND d.operational_day = ANY (emptied)
            AND h.location_id = location AND h.starts_at >= d.starts_at AND h.starts_at < d.ends_at;
        DELETE FROM counting.days AS d WHERE d.location_id = location AND d.operational_day = ANY (emptied);
    END IF;
    IF filled IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO counting.days SELECT f.* FROM unnest(filled) AS f ON CONFLICT DO NOTHING;
    -- The hours before the first instant stay as they are. A day that has none yet is folded from its start.
    INSERT INTO counting.hours
    SELECT n.*
    FROM counting.fold(location, ARRAY(
        SELECT (
            f.place, f.operational_day, span.starts_at, least(span.starts_at + interval '1 hour', f.ends_at), coalesce(h.opening, 0)
        )::counting.span
        FROM unnest(filled) WITH ORDINALITY AS f (location_id, operational_day, starts_at, ends_at, place)
        JOIN unnest(touched, first_instants) AS t (day, first) ON t.day = f.operational_day
        LEFT JOIN counting.hours AS h
            ON h.location_id = location AND h.starts_at = date_bin('1 hour', greatest(t.first, f.starts_at), f.starts_at)
        CROSS JOIN LATERAL generate_series(
            coalesce(h.starts_at, f.starts_at), f.ends_at - interval '1 microsecond', interval '1 hour') AS span (starts_at)
    )) AS n
    LEFT JOIN counting.hours AS h ON h.location_id = location AND h.starts_at = n.starts_at
    WHERE h IS DISTINCT FROM n
    ON CONFLICT (location_id, starts_at) DO UPDATE SET
        ends_at = excluded.ends_at, operational_day = excluded.operational_day, opening = excluded.opening,
        closing = excluded.closing, total_in = excluded.total_in, total_out = excluded.total_out, peak = excluded.peak,
        peak_at = excluded.peak_at, area = excluded.area, last_at = excluded.last_at;
END
$$;

-- Makes the days and hours of a location anew: it has another time zone or boundary hour. The location is locked.
CREATE OR REPLACE FUNCTION counting.fold_location(location bigint) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    settings counting.locations;
    days date[] := '{}';
    day date;
    next_entry timestamptz;
BEGIN
    SELECT * INTO settings FROM counting.locations AS l WHERE l.id = location;
    DELETE FROM counting.hours AS h WHERE h.location_id = location;
    DELETE FROM counting.days AS d WHERE d.location_id = location;
    SELECT min(e."timestamp") INTO next_entry FROM counting.entries AS e WHERE e.location_id = location;
    WHILE next_entry IS NOT NULL LOOP
        day := counting.day_of(settings.timezone, settings.operational_boundary_hour, next_entry);
        days := days || day;
        SELECT min(e."timestamp") INTO next_entry
        FROM counting.entries AS e
        WHERE e.location_id = location
            AND e."timestamp" >= counting.day_start(settings.timezone, settings.operational_boundary_hour, day + 1);
    END LOOP;
    PERFORM counting.fold_days(location, days, array_fill('-infinity'::timestamptz, ARRAY[cardinality(days)]));
END
$$;
