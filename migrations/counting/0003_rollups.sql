-- What the figures are added up from, so that no figure of a year reads the entries of a year.
--
-- A count goes from entry to entry, by time and id: it is 0 when an operational day starts, and max(0, count + delta) after
-- each entry. Let S be the sum of the deltas of a stretch of time after each of its entries, and L the lowest of these sums
-- so far. From a count x at the start of the stretch, the count is then max(x + S, S - L). A stretch thus says for every x
-- what a few numbers say that depend on its entries alone:
--
--     at its end    max(x + S, S - low)          with low = min(0, L)
--     its peak      max(x + high, peak)          with high = the highest S, and peak = the peak from 0
--     its area      x × length + area + Σ (end - lows[k]) for every k > x
--                                                with area = ∫ S dt, and lows[k] = the first instant at which S is -k
--
-- Stretches that follow each other make a longer one in the same way, from the sums before each of them. counting.minutes
-- keeps a stretch for every minute. They stay as they are when a location has another time zone or boundary hour;
-- counting.hours is then made anew from them.
--
-- Safe from: 1.0.0
-- Locks: entries against writes, for a moment: it is new and empty

-- Only the triggers of entries and locations write these tables; no client may. They have no foreign key to the locations: what
-- entries refer to is not deleted, and without entries there is no row here. With a key, each row that a batch writes would look
-- for its location.

-- The minutes that have entries, in UTC; a minute with more than 1,000 entries is kept by the second. It has thousands of
-- them when several devices send at once, and each batch would read all of them again.
CREATE TABLE counting.minutes (
    location_id bigint NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    total_in integer NOT NULL,
    total_out integer NOT NULL,
    low integer NOT NULL,
    high integer NOT NULL,
    high_at timestamptz NOT NULL,
    peak integer NOT NULL,
    peak_at timestamptz NOT NULL,
    -- In microseconds × people.
    area bigint NOT NULL,
    lows timestamptz[] NOT NULL,
    last_at timestamptz NOT NULL,
    CONSTRAINT minutes_pkey PRIMARY KEY (location_id, starts_at)
) WITH (fillfactor = 80);

-- The operational days that have entries.
CREATE TABLE counting.days (
    location_id bigint NOT NULL,
    operational_day date NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    CONSTRAINT days_pkey PRIMARY KEY (location_id, operational_day),
    CONSTRAINT days_starts_at_key UNIQUE (location_id, starts_at)
);

-- Every hour of these days, from their start on. The last one may be shorter: a day has 24½ hours when the clocks of Lord
-- Howe are put back.
CREATE TABLE counting.hours (
    location_id bigint NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    operational_day date NOT NULL,
    -- The count before the first entry, and after the last one.
    opening integer NOT NULL,
    closing integer NOT NULL,
    total_in integer NOT NULL,
    total_out integer NOT NULL,
    -- The highest count, the opening included, and its first instant.
    peak integer NOT NULL,
    peak_at timestamptz NOT NULL,
    -- The lowest count, the opening included.
    lowest integer NOT NULL,
    -- The integral of the count, in microseconds × people.
    area bigint NOT NULL,
    -- The last entry; null if there is none.
    last_at timestamptz,
    CONSTRAINT hours_pkey PRIMARY KEY (location_id, starts_at)
) WITH (fillfactor = 80);

COMMENT ON INDEX counting.minutes_pkey IS 'primary key';
COMMENT ON INDEX counting.days_pkey IS 'primary key';
COMMENT ON INDEX counting.days_starts_at_key IS 'unique; the days of an interval';
COMMENT ON INDEX counting.hours_pkey IS 'primary key; the hours of an interval';

-- When an operational day starts. Of an hour that comes twice, Postgres takes the second one; an hour that is skipped it
-- reads by the offset before.
CREATE FUNCTION counting.day_start(timezone text, hour integer, day date) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (day + make_interval(hours => hour)) AT TIME ZONE timezone;

-- The operational day of an instant: the last one that has started. The local date is right but near a change of the clocks;
-- a calendar that skips or repeats a date moves it by a day more.
CREATE FUNCTION counting.day_of(timezone text, hour integer, instant timestamptz) RETURNS date
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    day date := ((instant AT TIME ZONE timezone) - make_interval(hours => hour))::date;
BEGIN
    WHILE counting.day_start(timezone, hour, day + 1) <= instant LOOP
        day := day + 1;
    END LOOP;
    WHILE counting.day_start(timezone, hour, day) > instant LOOP
        day := day - 1;
    END LOOP;
    RETURN day;
END
$$;

-- Whole microseconds from an instant to another. A double is exact for a century of them, and cheaper than a numeric.
CREATE FUNCTION counting.microseconds(since timestamptz, until timestamptz) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN round(date_part('epoch', until - since) * 1000000)::bigint;

-- The entries from an instant to another, each with the sum of the deltas up to it and the lowest of these sums so far, 0 at
-- most. Postgres puts the bodies of `running`, `stretch`, `segments` and `counted` in the place of their calls.
CREATE FUNCTION counting.running(location bigint, since timestamptz, until timestamptz)
    RETURNS TABLE ("timestamp" timestamptz, id bigint, delta smallint, sum bigint, lowest bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT a.*, least(0, min(a.sum) OVER (
        ORDER BY a."timestamp", a.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
    FROM (
        SELECT e."timestamp", e.id, e.delta, sum(e.delta) OVER (
            ORDER BY e."timestamp", e.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS sum
        FROM counting.entries AS e
        WHERE e.location_id = location AND e."timestamp" >= since AND e."timestamp" < until
    ) AS a
$$;

-- The stretch from an instant to another, from its entries; no row without any.
CREATE FUNCTION counting.stretch(location bigint, since timestamptz, until timestamptz) RETURNS SETOF counting.minutes
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT location, since, until,
        (count(*) FILTER (WHERE r.delta = 1))::integer, (count(*) FILTER (WHERE r.delta = -1))::integer,
        min(r.lowest)::integer,
        max(r.high)::integer, min(r."timestamp") FILTER (WHERE r.sum = r.high),
        max(r.peak)::integer, min(r."timestamp") FILTER (WHERE r.sum - r.lowest = r.peak),
        sum(r.delta * counting.microseconds(r."timestamp", until))::bigint,
        coalesce(array_agg(r."timestamp" ORDER BY r.lowest DESC) FILTER (WHERE r.lowest < r.lowest_before), '{}'),
        max(r."timestamp")
    FROM (
        SELECT r.*, max(r.sum) OVER () AS high, max(r.sum - r.lowest) OVER () AS peak,
            lag(r.lowest, 1, 0::bigint) OVER (ORDER BY r."timestamp", r.id) AS lowest_before
        FROM counting.running(location, since, until) AS r
    ) AS r
    HAVING count(*) > 0
$$;

-- The stretches between two instants: those of counting.minutes, and of a minute that lies across one of the instants the
-- part between them, from its entries.
CREATE FUNCTION counting.segments(location bigint, since timestamptz, until timestamptz) RETURNS SETOF counting.minutes
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT m.*
    FROM counting.minutes AS m
    WHERE m.location_id = location AND m.starts_at >= since AND m.starts_at < until AND m.ends_at <= until
    UNION ALL
    SELECT s.*
    FROM (
        SELECT m.starts_at, m.ends_at
        FROM counting.minutes AS m
        WHERE m.location_id = location AND m.starts_at > since - interval '1 minute' AND m.starts_at < since
            AND m.ends_at > since AND until > since
        UNION
        SELECT m.starts_at, m.ends_at
        FROM counting.minutes AS m
        WHERE m.location_id = location AND m.starts_at > until - interval '1 minute' AND m.starts_at < until
            AND m.ends_at > until AND until > since
    ) AS cut
    CROSS JOIN LATERAL counting.stretch(location, greatest(cut.starts_at, since), least(cut.ends_at, until)) AS s
$$;

-- A part of an operational day, of an hour at most. Spans with the same `run` follow each other, and the first of them has
-- the count at its start.
CREATE TYPE counting.span AS (
    run integer,
    operational_day date,
    starts_at timestamptz,
    ends_at timestamptz,
    opening integer
);

-- An operational day with the first instant at which entries were written.
CREATE TYPE counting.touched_day AS (
    operational_day date,
    starts_at timestamptz,
    ends_at timestamptz,
    touched_from timestamptz
);

-- The stretches of spans that follow each other, each with the count before and after it. A span without entries has one row,
-- without a stretch.
CREATE FUNCTION counting.counted(location bigint, run counting.span[])
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
                LEFT JOIN LATERAL counting.segments(location, s.starts_at, s.ends_at) AS m ON true
            ) AS a
        ) AS b
    ) AS c
$$;

-- The figures of spans.
CREATE FUNCTION counting.fold(location bigint, given counting.span[]) RETURNS SETOF counting.hours
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
        f.last_at
    FROM figures AS f;
END
$$;

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0003_rollups.sql') ON CONFLICT DO NOTHING;
