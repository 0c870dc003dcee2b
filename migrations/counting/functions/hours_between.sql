-- The hours of an interval, of days that have entries, in no certain order. The first and the last of them are cut to the
-- interval: their opening is the count when they start, and their peak includes it.
CREATE OR REPLACE FUNCTION counting.hours_between(company bigint, location bigint, since timestamptz, until timestamptz)
    RETURNS SETOF counting.hours
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    hour counting.hours;
    first timestamptz;
    after timestamptz;
BEGIN
    IF since IS NULL OR until IS NULL OR since >= until THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT h.* FROM counting.hours AS h
    WHERE h.company_id = company AND h.location_id = location
        AND h.starts_at >= since AND h.starts_at < until AND h.ends_at <= until;
    FOR hour IN
        SELECT h.* FROM counting.hours AS h
        WHERE h.company_id = company AND h.location_id = location
            AND h.starts_at > since - interval '1 hour' AND h.starts_at < since AND h.ends_at > since
        UNION ALL
        SELECT h.* FROM counting.hours AS h
        WHERE h.company_id = company AND h.location_id = location
            AND h.starts_at > until - interval '1 hour' AND h.starts_at < until AND h.ends_at > until AND h.starts_at >= since
        UNION ALL
        SELECT u.* FROM counting.unfolded_hours(company, location, since, until) AS u
    LOOP
        first := greatest(hour.starts_at, since);
        after := least(hour.ends_at, until);
        IF first = hour.starts_at AND (hour.last_at IS NULL OR hour.last_at < after) THEN
            hour.area := hour.area - hour.closing * counting.microseconds(after, hour.ends_at);
            hour.ends_at := after;
            RETURN NEXT hour;
        ELSE
            RETURN QUERY
            SELECT * FROM counting.fold(
                company, location,
                ARRAY[(
                    1, hour.operational_day, first, after, counting.count_at(company, location, first, inclusive => false)
                )::counting.span]);
        END IF;
    END LOOP;
END
$$;

SELECT kernel.note_file('counting', 'functions/hours_between.sql', 'ceec045483b630f7');
