-- Keeps what is added up from the entries of a location, after entries of `touched` instants were written: bins of one
-- second, or of one minute. A write other than an insertion may have left bins empty. The location is locked.
--
-- OFFSET 0 makes a search one in an index, for each of the instants. Without it, Postgres joins them with all rows of the location
-- where it expects these to be few: the more companies there are, the fewer it expects.
CREATE OR REPLACE FUNCTION counting.recount(
    company bigint, location bigint, touched timestamptz[], bin interval, are_added boolean) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    epoch constant timestamptz := '0001-01-01 00:00:00+00';
    -- The minutes, and of those that are kept by the second the seconds.
    starts timestamptz[];
    ends timestamptz[];
    by_second timestamptz[];
    crowded timestamptz[];
    days counting.touched_day[];
    filled counting.touched_day[];
BEGIN
    starts := ARRAY(SELECT DISTINCT date_bin('1 minute', instant, epoch) FROM unnest(touched) AS instant);
    ends := ARRAY(SELECT minute + interval '1 minute' FROM unnest(starts) AS minute);
    by_second := ARRAY(
        SELECT minute FROM unnest(starts) AS minute
        WHERE EXISTS (
            SELECT FROM counting.minutes AS m
            WHERE m.company_id = company AND m.location_id = location
                AND m.starts_at >= minute AND m.starts_at < minute + interval '1 minute'
                AND m.ends_at < m.starts_at + interval '1 minute'
            OFFSET 0));
    IF cardinality(by_second) > 0 THEN
        SELECT array_agg(b.starts_at), array_agg(b.starts_at + b.length) INTO starts, ends
        FROM (
            SELECT minute AS starts_at, interval '1 minute' AS length FROM unnest(starts) AS minute
            WHERE minute <> ALL (by_second)
            UNION
            SELECT second, interval '1 second'
            FROM unnest(touched) AS instant
            CROSS JOIN LATERAL generate_series(instant, instant + bin - interval '1 second', interval '1 second') AS second
            WHERE date_bin('1 minute', instant, epoch) = ANY (by_second)
        ) AS b;
    END IF;
    IF NOT are_added THEN
        DELETE FROM counting.minutes AS m
        USING unnest(starts, ends) AS b (starts_at, ends_at)
        WHERE m.company_id = company AND m.location_id = location AND m.starts_at = b.starts_at AND NOT EXISTS (
            SELECT FROM counting.entries AS e
            WHERE e.company_id = company AND e.location_id = location
                AND e."timestamp" >= b.starts_at AND e."timestamp" < b.ends_at
            OFFSET 0);
    END IF;
    INSERT INTO counting.minutes
    SELECT s.*
    FROM unnest(starts, ends) AS b (starts_at, ends_at)
    CROSS JOIN LATERAL counting.stretch(company, location, b.starts_at, b.ends_at) AS s
    ON CONFLICT (company_id, location_id, starts_at) DO UPDATE SET
        total_in = excluded.total_in, total_out = excluded.total_out, low = excluded.low, high = excluded.high,
        high_at = excluded.high_at, peak = excluded.peak, peak_at = excluded.peak_at, area = excluded.area,
        lows = excluded.lows, last_at = excluded.last_at;
    -- Minutes that have become crowded.
    SELECT array_agg(m.starts_at) INTO crowded
    FROM unnest(starts, ends) AS b (starts_at, ends_at)
    CROSS JOIN LATERAL (
        SELECT k.starts_at, k.ends_at, k.total_in, k.total_out FROM counting.minutes AS k
        WHERE k.company_id = company AND k.location_id = location AND k.starts_at = b.starts_at
        OFFSET 0
    ) AS m
    WHERE m.ends_at = m.starts_at + interval '1 minute' AND m.total_in + m.total_out > 1000;
    IF crowded IS NOT NULL THEN
        DELETE FROM counting.minutes AS m
        WHERE m.company_id = company AND m.location_id = location AND m.starts_at = ANY (crowded);
        INSERT INTO counting.minutes
        SELECT s.*
        FROM unnest(crowded) AS c (starts_at)
        CROSS JOIN generate_series(0, 59) AS second
        CROSS JOIN LATERAL counting.stretch(
            company, location, c.starts_at + second * interval '1 second', c.starts_at + (second + 1) * interval '1 second') AS s;
    END IF;
    -- A bin lies across two days where a time zone has an offset of seconds.
    days := ARRAY(
        SELECT (
            d.day, counting.day_start(d.timezone, d.hour, d.day), counting.day_start(d.timezone, d.hour, d.day + 1), d.touched_from
        )::counting.touched_day
        FROM (
            SELECT l.timezone, l.operational_boundary_hour AS hour,
                counting.day_of(l.timezone, l.operational_boundary_hour, i.instant) AS day, min(i.instant) AS touched_from
            FROM counting.locations AS l
            CROSS JOIN unnest(touched) AS b (starts_at)
            CROSS JOIN LATERAL (VALUES (b.starts_at), (b.starts_at + bin - interval '1 microsecond')) AS i (instant)
            WHERE l.company_id = company AND l.id = location
            GROUP BY 1, 2, 3
        ) AS d);
    filled := ARRAY(
        SELECT d FROM unnest(days) AS d
        WHERE EXISTS (
            SELECT FROM counting.entries AS e
            WHERE e.company_id = company AND e.location_id = location
                AND e."timestamp" >= d.starts_at AND e."timestamp" < d.ends_at
            OFFSET 0));
    IF cardinality(filled) < cardinality(days) THEN
        DELETE FROM counting.hours AS h
        USING unnest(days) AS d
        WHERE h.company_id = company AND h.location_id = location
            AND h.starts_at >= d.starts_at AND h.starts_at < d.ends_at AND d <> ALL (filled);
        DELETE FROM counting.days AS k
        USING unnest(days) AS d
        WHERE k.company_id = company AND k.location_id = location AND k.operational_day = d.operational_day
            AND d <> ALL (filled);
    END IF;
    PERFORM counting.fold_days(company, location, filled);
END
$$;

-- The function of the version before, without a company.
DROP FUNCTION IF EXISTS counting.recount(bigint, timestamptz[], interval, boolean);

SELECT kernel.note_file('counting', 'functions/recount.sql', 'a9efb2386ae2025d');
