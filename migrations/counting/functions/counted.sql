-- The entries from an instant to another, each with the sum of the deltas up to it and the lowest of these sums so far, 0 at
-- most. Postgres puts the bodies of `running`, `stretch`, `segments` and `counted` in the place of their calls.
CREATE OR REPLACE FUNCTION counting.running(company bigint, location bigint, since timestamptz, until timestamptz)
    RETURNS TABLE ("timestamp" timestamptz, id bigint, delta smallint, sum bigint, lowest bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT a.*, least(0, min(a.sum) OVER (
        ORDER BY a."timestamp", a.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
    FROM (
        SELECT e."timestamp", e.id, e.delta, sum(e.delta) OVER (
            ORDER BY e."timestamp", e.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS sum
        FROM counting.entries AS e
        WHERE e.company_id = company AND e.location_id = location AND e."timestamp" >= since AND e."timestamp" < until
    ) AS a
$$;

-- The stretch from an instant to another, from its entries; no row without any.
CREATE OR REPLACE FUNCTION counting.stretch(company bigint, location bigint, since timestamptz, until timestamptz) RETURNS SETOF counting.minutes
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT location, since, until,
        (count(*) FILTER (WHERE r.delta = 1))::integer, (count(*) FILTER (WHERE r.delta = -1))::integer,
        min(r.lowest)::integer,
        max(r.high)::integer, min(r."timestamp") FILTER (WHERE r.sum = r.high),
        max(r.peak)::integer, min(r."timestamp") FILTER (WHERE r.sum - r.lowest = r.peak),
        sum(r.delta * counting.microseconds(r."timestamp", until))::bigint,
        coalesce(array_agg(r."timestamp" ORDER BY r.lowest DESC) FILTER (WHERE r.lowest < r.lowest_before), '{}'),
        -- The column of the company is the last one of the table.
        max(r."timestamp"), company
    FROM (
        SELECT r.*, max(r.sum) OVER () AS high, max(r.sum - r.lowest) OVER () AS peak,
            lag(r.lowest, 1, 0::bigint) OVER (ORDER BY r."timestamp", r.id) AS lowest_before
        FROM counting.running(company, location, since, until) AS r
    ) AS r
    HAVING count(*) > 0
$$;

-- The stretches between two instants: those of counting.minutes, and of a minute that lies across one of the instants the
-- part between them, from its entries.
CREATE OR REPLACE FUNCTION counting.segments(company bigint, location bigint, since timestamptz, until timestamptz) RETURNS SETOF counting.minutes
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT m.*
    FROM counting.minutes AS m
    WHERE m.company_id = company AND m.location_id = location
        AND m.starts_at >= since AND m.starts_at < until AND m.ends_at <= until
    UNION ALL
    SELECT s.*
    FROM (
        SELECT m.starts_at, m.ends_at
        FROM counting.minutes AS m
        WHERE m.company_id = company AND m.location_id = location
            AND m.starts_at > since - interval '1 minute' AND m.starts_at < since AND m.ends_at > since AND until > since
        UNION
        SELECT m.starts_at, m.ends_at
        FROM counting.minutes AS m
        WHERE m.company_id = company AND m.location_id = location
            AND m.starts_at > until - interval '1 minute' AND m.starts_at < until AND m.ends_at > until AND until > since
    ) AS cut
    CROSS JOIN LATERAL counting.stretch(
        company, location, greatest(cut.starts_at, since), least(cut.ends_at, until)) AS s
$$;

-- The stretches of spans that follow each other, each with the count before and after it. A span without entries has one row,
-- without a stretch.
CREATE OR REPLACE FUNCTION counting.counted(company bigint, location bigint, run counting.span[])
    RETURNS TABLE (
        operational_day date, span timestamptz, span_end timestamptz, starts_at timestamptz, ends_at timestamptz,
        total_in integer, total_out integer, low integer, high integer, high_at timestamptz, peak integer, peak_at timestamptz,
        area bigint, lows timestamptz[], last_at timestamptz, count_before integer, count_after integer)
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT c.operational_day, c.span, c.span_end, c.starts_at, c.ends_at, c.total_in, c.total_out,
        c.low, c.high, c.high_at, c.peak, c.peak_at, c.area, c.lows, c.last_at,
        lag(c.count_after, 1, c.opening) OVER (ORDER BY c.span, c.starts_at), c.count_after
    FROM (
        SELECT b.*, greatest(
            b.opening + b.after,
            b.after - min(b.after - b.change + b.low) OVER (ORDER BY b.span, b.starts_at))::integer AS count_after
        FROM (
            SELECT a.*, coalesce(sum(a.change) OVER (ORDER BY a.span, a.starts_at), 0) AS after,
                first_value(a.span_opening) OVER (ORDER BY a.span, a.starts_at) AS opening
            FROM (
                SELECT s.operational_day, s.starts_at AS span, s.ends_at AS span_end, s.opening AS span_opening, m.*,
                    m.total_in - m.total_out AS change
                FROM unnest(run) AS s
                LEFT JOIN LATERAL counting.segments(company, location, s.starts_at, s.ends_at) AS m ON true
            ) AS a
        ) AS b
    ) AS c
$$;

SELECT kernel.note_file('counting', 'functions/counted.sql', 'cbaee915e8be6c37');
