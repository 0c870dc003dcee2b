-- The entries of an interval, each with the count after it.
CREATE OR REPLACE FUNCTION counting.occupancies(location bigint, since timestamptz, until timestamptz)
    RETURNS TABLE (id bigint, "timestamp" timestamptz, delta integer, occupancy integer)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT c.id, c."timestamp", c.delta::integer, greatest(d.opening + c.running, c.running - c.lowest)::integer
    FROM (
        SELECT greatest(d.starts_at, since) AS first, least(d.ends_at, until) AS after,
            counting.count_before(location, greatest(d.starts_at, since)) AS opening
        FROM counting.days AS d
        WHERE d.location_id = location AND d.ends_at > since AND d.starts_at < until
        ORDER BY d.starts_at
    ) AS d
    CROSS JOIN LATERAL (
        SELECT r.*, min(r.running) OVER (
            ORDER BY r."timestamp", r.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS lowest
        FROM (
            SELECT e.id, e."timestamp", e.delta, sum(e.delta) OVER (
                ORDER BY e."timestamp", e.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running
            FROM counting.entries AS e
            WHERE e.location_id = location AND e."timestamp" >= d.first AND e."timestamp" < d.after
        ) AS r
    ) AS c;
END
$$;
