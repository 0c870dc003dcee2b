-- The times of an interval when the occupancy was above `capacity`, with the peak of each. They end with the operational
-- day at the latest; one that is not over at the interval's end has that for its end, and is `unfinished`.
--
-- Only hours in which the occupancy crosses the capacity are looked into, and of these only the entries of such minutes.
CREATE OR REPLACE FUNCTION counting.overcrowdings(
    location_id bigint, timezone text, boundary_hour integer, capacity integer, since timestamptz, until timestamptz
)
    RETURNS TABLE (starts_at timestamptz, ends_at timestamptz, unfinished boolean, peak bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH hours AS MATERIALIZED (
        SELECT h.operational_day, h.starts_at, h.ends_at, h.opening, h.peak,
            h.lowest > overcrowdings.capacity AS is_above
        FROM counting.hours_between(
            kernel.company(), overcrowdings.location_id, overcrowdings.since, overcrowdings.until) AS h
        WHERE h.peak > overcrowdings.capacity
    ), minutes AS MATERIALIZED (
        SELECT h.operational_day, c.starts_at, c.ends_at, c.count_before AS opening,
            greatest(c.count_before + c.high, c.peak) AS peak,
            c.count_before + c.low > overcrowdings.capacity AS is_above
        FROM hours AS h
        CROSS JOIN LATERAL counting.counted(
            kernel.company(), overcrowdings.location_id,
            ARRAY[(1, h.operational_day, h.starts_at, h.ends_at, h.opening)::counting.span]) AS c
        WHERE NOT h.is_above AND greatest(c.count_before, c.count_before + c.high, c.peak) > overcrowdings.capacity
    ), points AS (
        -- The count at the start of the interval, if it is above: `is_cut`.
        SELECT h.operational_day, h.starts_at AS at, 0::bigint AS entry, h.opening AS occupancy, true AS is_cut
        FROM hours AS h
        WHERE h.starts_at = overcrowdings.since AND h.opening > overcrowdings.capacity
        UNION ALL
        -- An hour that is above throughout.
        SELECT h.operational_day, h.starts_at, 1, h.peak, false
        FROM hours AS h
        WHERE h.is_above
        UNION ALL
        -- A minute that is above throughout.
        SELECT m.operational_day, m.starts_at, 1, m.peak, false
        FROM minutes AS m
        WHERE m.is_above
        UNION ALL
        SELECT m.operational_day, r."timestamp", r.id, greatest(m.opening + r.sum, r.sum - r.lowest), false
        FROM minutes AS m
        CROSS JOIN LATERAL counting.running(kernel.company(), overcrowdings.location_id, m.starts_at, m.ends_at) AS r
        WHERE NOT m.is_above
    ), changes AS (
        SELECT
            p.*,
            p.occupancy > overcrowdings.capacity AS is_above,
            lag(p.occupancy > overcrowdings.capacity, 1, false) OVER (
                PARTITION BY p.operational_day ORDER BY p.at, p.entry
            ) AS was_above
        FROM points AS p
    ), numbered AS (
        SELECT
            c.*,
            count(*) FILTER (WHERE c.is_above AND NOT c.was_above) OVER (
                PARTITION BY c.operational_day ORDER BY c.at, c.entry ROWS UNBOUNDED PRECEDING
            ) AS number
        FROM changes AS c
        WHERE c.is_above OR c.was_above
    ), times AS (
        SELECT
            n.operational_day,
            min(n.at) FILTER (WHERE n.is_above) AS starts_at,
            min(n.at) FILTER (WHERE NOT n.is_above) AS crossing,
            max(n.occupancy) AS peak,
            bool_or(n.is_cut) AS is_cut
        FROM numbered AS n
        GROUP BY n.operational_day, n.number
    )
    SELECT t.starts_at, least(ends.at, overcrowdings.until), ends.at > overcrowdings.until, t.peak
    FROM times AS t
    CROSS JOIN LATERAL (
        SELECT coalesce(
            t.crossing, counting.day_start(overcrowdings.timezone, overcrowdings.boundary_hour, t.operational_day + 1)
        ) AS at
    ) AS ends
    -- What ends with the entry at which the interval starts was before it.
    WHERE NOT (t.is_cut AND ends.at = t.starts_at);
END;

REVOKE EXECUTE ON FUNCTION
    counting.overcrowdings(bigint, text, integer, integer, timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.overcrowdings(bigint, text, integer, integer, timestamptz, timestamptz)
    TO learntrack_admin, learntrack_counting_viewer;

-- The functions of the version before, without a company. The one above called the first two until it was replaced.
DROP FUNCTION IF EXISTS
    counting.counted(bigint, counting.span[]), counting.running(bigint, timestamptz, timestamptz),
    counting.segments(bigint, timestamptz, timestamptz), counting.stretch(bigint, timestamptz, timestamptz),
    counting.fold(bigint, counting.span[]);

SELECT kernel.note_file('counting', 'functions/overcrowdings.sql', '1dd437c58698bbd7');
