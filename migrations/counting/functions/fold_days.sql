-- Keeps counting.days and counting.hours of operational days of a location that have entries, in each of them from an
-- instant on. The location is locked.
CREATE OR REPLACE FUNCTION counting.fold_days(company bigint, location bigint, touched counting.touched_day[])
    RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO counting.days AS d (company_id, location_id, operational_day, starts_at, ends_at)
    SELECT company, location, t.operational_day, t.starts_at, t.ends_at FROM unnest(touched) AS t
    ON CONFLICT (company_id, location_id, operational_day) DO UPDATE SET is_folded = true WHERE NOT d.is_folded;
    -- The hours before the first instant stay as they are. A day that has none yet is folded from its start.
    INSERT INTO counting.hours
    SELECT n.*
    FROM counting.fold(company, location, ARRAY(
        SELECT (
            t.place, t.operational_day, span.starts_at, least(span.starts_at + interval '1 hour', t.ends_at), coalesce(h.opening, 0)
        )::counting.span
        FROM unnest(touched) WITH ORDINALITY AS t (operational_day, starts_at, ends_at, touched_from, place)
        LEFT JOIN counting.hours AS h
            ON h.company_id = company AND h.location_id = location
                AND h.starts_at = date_bin('1 hour', greatest(t.touched_from, t.starts_at), t.starts_at)
        CROSS JOIN LATERAL generate_series(
            coalesce(h.starts_at, t.starts_at), t.ends_at - interval '1 microsecond', interval '1 hour') AS span (starts_at)
    )) AS n
    -- OFFSET 0 makes it a search in an index for each hour, as in `recount`.
    LEFT JOIN LATERAL (
        SELECT h AS kept FROM counting.hours AS h
        WHERE h.company_id = company AND h.location_id = location AND h.starts_at = n.starts_at
        OFFSET 0
    ) AS h ON true
    WHERE h.kept IS DISTINCT FROM n
    ON CONFLICT (company_id, location_id, starts_at) DO UPDATE SET
        ends_at = excluded.ends_at, operational_day = excluded.operational_day, opening = excluded.opening,
        closing = excluded.closing, total_in = excluded.total_in, total_out = excluded.total_out, peak = excluded.peak,
        peak_at = excluded.peak_at, lowest = excluded.lowest, area = excluded.area, last_at = excluded.last_at;
END
$$;

-- Makes the days of a location anew: it has another time zone or boundary hour. The last one is folded at once, the others by
-- and by. The location is locked.
CREATE OR REPLACE FUNCTION counting.fold_location(company bigint, location bigint) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    settings counting.locations;
    last counting.touched_day;
    next_entry timestamptz;
BEGIN
    SELECT * INTO settings FROM counting.locations AS l WHERE l.company_id = company AND l.id = location;
    DELETE FROM counting.hours AS h WHERE h.company_id = company AND h.location_id = location;
    DELETE FROM counting.days AS d WHERE d.company_id = company AND d.location_id = location;
    SELECT min(e."timestamp") INTO next_entry
    FROM counting.entries AS e WHERE e.company_id = company AND e.location_id = location;
    IF next_entry IS NULL THEN
        RETURN;
    END IF;
    WHILE next_entry IS NOT NULL LOOP
        last.operational_day := counting.day_of(settings.timezone, settings.operational_boundary_hour, next_entry);
        last.starts_at := counting.day_start(settings.timezone, settings.operational_boundary_hour, last.operational_day);
        last.ends_at := counting.day_start(settings.timezone, settings.operational_boundary_hour, last.operational_day + 1);
        INSERT INTO counting.days (company_id, location_id, operational_day, starts_at, ends_at, is_folded)
        VALUES (company, location, last.operational_day, last.starts_at, last.ends_at, false);
        SELECT min(e."timestamp") INTO next_entry
        FROM counting.entries AS e
        WHERE e.company_id = company AND e.location_id = location AND e."timestamp" >= last.ends_at;
    END LOOP;
    last.touched_from := last.starts_at;
    PERFORM counting.fold_days(company, location, ARRAY[last]);
END
$$;

-- The functions of the version before, without a company.
DROP FUNCTION IF EXISTS counting.fold_days(bigint, counting.touched_day[]), counting.fold_location(bigint);

SELECT kernel.note_file('counting', 'functions/fold_days.sql', '85459206625bed13');
