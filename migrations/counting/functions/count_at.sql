-- The count at an instant: after all entries that are not later, or only after those that are earlier. It is 0 when an operational
-- day starts.
CREATE OR REPLACE FUNCTION counting.count_at(
    company bigint, location bigint, instant timestamptz, inclusive boolean DEFAULT true)
    RETURNS integer
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    hour counting.hours;
    until timestamptz := instant + CASE WHEN inclusive THEN interval '1 microsecond' ELSE interval '0' END;
BEGIN
    SELECT * INTO hour
    FROM counting.hours AS h WHERE h.company_id = company AND h.location_id = location AND h.starts_at <= instant
    ORDER BY h.starts_at DESC LIMIT 1;
    IF NOT FOUND OR hour.ends_at <= instant THEN
        SELECT * INTO hour FROM counting.unfolded_hours(company, location, instant, instant + interval '1 microsecond');
    END IF;
    -- A day without entries has no hours.
    IF NOT FOUND OR hour.ends_at <= instant THEN
        RETURN 0;
    ELSIF hour.last_at IS NULL OR hour.last_at < until THEN
        RETURN hour.closing;
    END IF;
    RETURN (
        SELECT f.closing FROM counting.fold(
            company, location, ARRAY[(1, hour.operational_day, hour.starts_at, until, hour.opening)::counting.span]) AS f);
END
$$;

SELECT kernel.note_file('counting', 'functions/count_at.sql', 'a4bcb670c2ea6963');
