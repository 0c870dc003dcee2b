-- The times of an interval when the occupancy was above `capacity`, with the peak of each. They end with the operational
-- day at the latest; one that is not over at the interval's end has that for its end, and is `unfinished`.
--
-- Only hours with a peak above the capacity are looked into, and of these only the entries of minutes in which the
-- occupancy crosses it.
CREATE OR REPLACE FUNCTION counting.overcrowdings(
    location_id bigint, timezone text, boundary_hour integer, capacity integer, since timestamptz, until timestamptz
)
    RETURNS TABLE (starts_at timestamptz, ends_at timestamptz, unfinished boolean, peak bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH hours AS MATERIALIZED (
        SELECT h.operational_day, h.starts_at, h.ends_at, h.opening
        FROM counting.hours_between(overcrowdings.location_id, overcrowdings.since, overcrowdings.until) AS h
        WHERE h.peak > overcrowdings.capacity
    ), sums AS (
        SELECT
            h.operational_day,
            h.starts_at AS hour,
            h.opening AS hour_opening,
            s.starts_at,
            s.ends_at,
            s.low,
            s.high,
            s.peak,
            coalesce(sum(s.total_in - s.total_out) OVER (
                PARTITION BY h.starts_at ORDER BY s.starts_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ), 0) AS before
        FROM hours AS h
        CROSS JOIN LATERAL counting.segments(overcrowdings.location_id, h.starts_at, h.ends_at) AS s
    ), openings AS (
        SELECT
            s.*,
            greatest(
                s.hour_opening + s.before,
                s.before - min(s.before + s.low) OVER (
                    PARTITION BY s.hour ORDER BY s.starts_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
            ) AS opening
        FROM sums AS s
    ), minutes AS MATERIALIZED (
        SELECT
            o.operational_day,
            o.starts_at,
            o.ends_at,
            o.opening,
            greatest(o.opening, o.opening + o.high, o.peak) AS peak,
            o.opening + o.low > overcrowdings.capacity AS is_above
        FROM openings AS o
        WHERE greatest(o.opening, o.opening + o.high, o.peak) > overcrowdings.capacity
    ), running AS (
        SELECT
            s.operational_day,
            s.starts_at,
            s.opening,
            e."timestamp",
            e.id,
            sum(e.delta) OVER (PARTITION BY s.starts_at ORDER BY e."timestamp", e.id ROWS UNBOUNDED PRECEDING) AS sum
        FROM minutes AS s
        JOIN counting.entries AS e
            ON e.location_id = overcrowdings.location_id
            AND e."timestamp" >= s.starts_at AND e."timestamp" < s.ends_at
        WHERE NOT s.is_above
    ), points AS (
        -- The count at the start of the interval, if it is above: `is_cut`.
        SELECT h.operational_day, h.starts_at AS at, 0::bigint AS entry, h.opening AS occupancy, true AS is_cut
        FROM hours AS h
        WHERE h.starts_at = overcrowdings.since AND h.opening > overcrowdings.capacity
        UNION ALL
        -- A minute that is above from its first to its last entry.
        SELECT m.operational_day, m.starts_at, 1, m.peak, false
        FROM minutes AS m
        WHERE m.is_above
        UNION ALL
        SELECT
            r.operational_day,
            r."timestamp",
            r.id,
            greatest(
                r.opening + r.sum,
                r.sum - min(r.sum) OVER (PARTITION BY r.starts_at ORDER BY r."timestamp", r.id ROWS UNBOUNDED PRECEDING)
            ),
            false
        FROM running AS r
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
