-- The count at an instant, after all entries that are not later.
CREATE OR REPLACE FUNCTION counting.count_at(location bigint, instant timestamptz) RETURNS integer
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
    ELSIF hour.last_at IS NULL OR hour.last_at <= instant THEN
        RETURN hour.closing;
    END IF;
    RETURN counting.carried(location, hour.opening, hour.starts_at, instant + interval '1 microsecond');
END
$$;
