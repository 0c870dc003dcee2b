-- The count just before an instant, after all entries that are earlier; 0 when an operational day starts.
CREATE OR REPLACE FUNCTION counting.count_before(location bigint, instant timestamptz) RETURNS integer
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    hour counting.hours;
BEGIN
    SELECT * INTO hour
    FROM counting.hours AS h WHERE h.location_id = location AND h.starts_at <= instant
    ORDER BY h.starts_at DESC LIMIT 1;
    -- A day without entries has no hours.
    IF NOT FOUND OR hour.ends_at <= instant THEN
        RETURN 0;
    ELSIF hour.last_at IS NULL OR hour.starts_at = instant THEN
        RETURN hour.opening;
    ELSIF hour.last_at < instant THEN
        RETURN hour.closing;
    END IF;
    RETURN counting.carried(location, hour.opening, hour.starts_at, instant);
END
$$;
