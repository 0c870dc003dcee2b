-- Keeps what is added up from the entries of a location, after entries of `touched` instants were written: bins of one second, or of
-- one minute. The location is locked.
CREATE OR REPLACE FUNCTION counting.recount(location bigint, touched timestamptz[], bin interval) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    epoch constant timestamptz := '0001-01-01 00:00:00+00';
    -- The minutes, and the seconds of those that are kept by the second.
    starts timestamptz[];
    ends timestamptz[];
    crowded timestamptz[];
    days date[];
    firsts timestamptz[];
BEGIN
    SELECT array_agg(b.starts_at), array_agg(b.ends_at) INTO starts, ends
    FROM (
        SELECT DISTINCT
            CASE WHEN m.by_second THEN second ELSE m.starts_at END AS starts_at,
            CASE WHEN m.by_second THEN second + interval '1 second' ELSE m.starts_at + interval '1 minute' END AS ends_at
        FROM (
            SELECT t.starts_at, t.instants, EXISTS (
                SELECT FROM counting.minutes AS m
                WHERE m.location_id = location AND m.starts_at >= t.starts_at
                    AND m.starts_at < t.starts_at + interval '1 minute' AND m.ends_at < m.starts_at + interval '1 minute'
            ) AS by_second
            FROM (
                SELECT date_bin('1 minute', instant, epoch) AS starts_at, array_agg(instant) AS instants
                FROM unnest(touched) AS instant
                GROUP BY 1
            ) AS t
        ) AS m
        CROSS JOIN LATERAL unnest(CASE WHEN m.by_second THEN m.instants ELSE ARRAY[m.starts_at] END) AS instant
        CROSS JOIN LATERAL generate_series(
            instant, CASE WHEN m.by_second THEN instant + bin - interval '1 second' ELSE instant END, interval '1 second') AS second
    ) AS b;
    DELETE FROM counting.minutes AS m
    USING unnest(starts, ends) AS b (starts_at, ends_at)
    WHERE m.location_id = location AND m.starts_at = b.starts_at AND NOT EXISTS (
        SELECT FROM counting.entries AS e
        WHERE e.location_id = location AND e."timestamp" >= b.starts_at AND e."timestamp" < b.ends_at);
    INSERT INTO counting.minutes
    SELECT s.*
    FROM unnest(starts, ends) AS b (starts_at, ends_at)
    CROSS JOIN LATERAL counting.stretch(location, b.starts_at, b.ends_at) AS s
    ON CONFLICT (location_id, starts_at) DO UPDATE SET
        total_in = excluded.total_in, total_out = excluded.total_out, low = excluded.low, high = excluded.high,
        high_at = excluded.high_at, peak = excluded.peak, peak_at = excluded.peak_at, area = excluded.area,
        lows = excluded.lows, last_at = excluded.last_at;
    -- Minutes that have become crowded.
    SELECT array_agg(m.starts_at) INTO crowded
    FROM unnest(starts, ends) AS b (starts_at, ends_at)
    JOIN counting.minutes AS m ON m.location_id = location AND m.starts_at = b.starts_at
    WHERE m.ends_at = m.starts_at + interval '1 minute' AND m.total_in + m.total_out > 1000;
    IF crowded IS NOT NULL THEN
        DELETE FROM counting.minutes AS m WHERE m.location_id = location AND m.starts_at = ANY (crowded);
        INSERT INTO counting.minutes
        SELECT s.*
        FROM unnest(crowded) AS c (starts_at)
        CROSS JOIN generate_series(0, 59) AS second
        CROSS JOIN LATERAL counting.stretch(
            location, c.starts_at + second * interval '1 second', c.starts_at + (second + 1) * interval '1 second') AS s;
    END IF;
    -- A bin lies across two days where a time zone has an offset of seconds.
    SELECT array_agg(d.day), array_agg(d.first) INTO days, firsts
    FROM (
        SELECT counting.day_of(l.timezone, l.operational_boundary_hour, i.instant) AS day, min(i.instant) AS first
        FROM counting.locations AS l
        CROSS JOIN unnest(touched) AS b (starts_at)
        CROSS JOIN LATERAL (VALUES (b.starts_at), (b.starts_at + bin - interval '1 microsecond')) AS i (instant)
        WHERE l.id = location
        GROUP BY 1
    ) AS d;
    PERFORM counting.fold_days(location, days, firsts);
END
$$;
