-- The company of each row. Existing rows belong to the first company.
--
-- Safe from: 1.0.0
-- Locks: each table of the domain against everything, for a moment
SELECT kernel.company_add(
    'counting.locations', 'counting.devices', 'counting.entries', 'counting.counter_states', 'counting.counter_snapshots',
    'counting.days', 'counting.hours', 'counting.minutes', 'counting.device_presences');

-- The two functions whose rows are rows of these tables go on until the files of functions/ replace them.

-- The stretch from an instant to another, from its entries; no row without any.
CREATE OR REPLACE FUNCTION counting.stretch(location bigint, since timestamptz, until timestamptz) RETURNS SETOF counting.minutes
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT location, since, until,
        (count(*) FILTER (WHERE r.delta = 1))::integer, (count(*) FILTER (WHERE r.delta = -1))::integer,
        min(r.lowest)::integer,
        max(r.high)::integer, min(r."timestamp") FILTER (WHERE r.sum = r.high),
        max(r.peak)::integer, min(r."timestamp") FILTER (WHERE r.sum - r.lowest = r.peak),
        sum(r.delta * counting.microseconds(r."timestamp", until))::bigint,
        coalesce(array_agg(r."timestamp" ORDER BY r.lowest DESC) FILTER (WHERE r.lowest < r.lowest_before), '{}'),
        max(r."timestamp"), kernel.company()
    FROM (
        SELECT r.*, max(r.sum) OVER () AS high, max(r.sum - r.lowest) OVER () AS peak,
            lag(r.lowest, 1, 0::bigint) OVER (ORDER BY r."timestamp", r.id) AS lowest_before
        FROM counting.running(location, since, until) AS r
    ) AS r
    HAVING count(*) > 0
$$;

-- The figures of spans.
CREATE OR REPLACE FUNCTION counting.fold(location bigint, given counting.span[]) RETURNS SETOF counting.hours
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET jit = off
AS $$
BEGIN
    RETURN QUERY
    WITH stretches AS (
        SELECT c.*, lag(c.span) OVER run IS DISTINCT FROM c.span AS is_first,
            lead(c.span) OVER run IS DISTINCT FROM c.span AS is_last
        FROM (SELECT s.run, array_agg(s) AS spans FROM unnest(given) AS s GROUP BY s.run) AS r
        CROSS JOIN LATERAL counting.counted(location, r.spans) AS c
        WINDOW run AS (PARTITION BY r.run ORDER BY c.span, c.starts_at)
    ), figures AS (
        SELECT s.span, min(s.span_end) AS span_end, min(s.operational_day) AS operational_day,
            min(s.count_before) FILTER (WHERE s.is_first) AS opening, min(s.count_after) FILTER (WHERE s.is_last) AS closing,
            coalesce(sum(s.total_in), 0)::integer AS total_in, coalesce(sum(s.total_out), 0)::integer AS total_out,
            -- The highest peak with its first instant, in one number: the peak in the upper 32 bits, and in the lower ones
            -- the microseconds from that instant to the longest end of a span.
            max((greatest(s.count_before + s.high, s.peak)::bigint << 32) + counting.microseconds(
                CASE
                    WHEN s.count_before + s.high > s.peak THEN s.high_at
                    WHEN s.count_before + s.high < s.peak THEN s.peak_at
                    ELSE least(s.high_at, s.peak_at)
                END, s.span + interval '1 hour')) AS top,
            min(greatest(0, s.count_before + coalesce(s.low, 0))) AS lowest,
            -- What the entries add to the area of the opening.
            coalesce(sum(
                s.area
                + CASE WHEN s.count_before < -s.low THEN (
                    SELECT sum(counting.microseconds(reached, s.ends_at)) FROM unnest(s.lows[s.count_before + 1:]) AS reached
                ) ELSE 0 END
                + (s.count_after - s.count_before)::bigint * counting.microseconds(s.ends_at, s.span_end)), 0) AS area,
            max(s.last_at) AS last_at
        FROM stretches AS s
        GROUP BY s.span
    )
    SELECT location, f.span, f.span_end, f.operational_day, f.opening, f.closing, f.total_in, f.total_out,
        greatest(f.opening, (f.top >> 32)::integer),
        CASE WHEN f.top >> 32 > f.opening
            THEN f.span + interval '1 hour' - (f.top & 4294967295) * interval '1 microsecond'
            ELSE f.span
        END,
        f.lowest,
        (f.opening * counting.microseconds(f.span, f.span_end) + f.area)::bigint,
        f.last_at, kernel.company()
    FROM figures AS f;
END
$$;

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0010_company_columns.sql') ON CONFLICT DO NOTHING;
