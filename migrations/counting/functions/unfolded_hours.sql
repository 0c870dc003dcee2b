-- The hours that lie in an interval, wholly or in part, of days that are not folded yet, in no certain order. They are computed
-- as they will be kept.
CREATE OR REPLACE FUNCTION counting.unfolded_hours(company bigint, location bigint, since timestamptz, until timestamptz)
    RETURNS SETOF counting.hours
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    spans counting.span[] := ARRAY(
        SELECT (d.place, d.operational_day, hour, least(hour + interval '1 hour', d.ends_at), 0)::counting.span
        FROM (
            SELECT u.*, (row_number() OVER (ORDER BY u.starts_at))::integer AS place
            FROM counting.days AS u
            WHERE u.company_id = company AND u.location_id = location AND NOT u.is_folded
                AND u.starts_at < until AND u.ends_at > since
        ) AS d
        CROSS JOIN LATERAL generate_series(d.starts_at, d.ends_at - interval '1 microsecond', interval '1 hour') AS hour);
BEGIN
    IF cardinality(spans) > 0 THEN
        RETURN QUERY
        SELECT h.* FROM counting.fold(company, location, spans) AS h WHERE h.starts_at < until AND h.ends_at > since;
    END IF;
END
$$;

-- The function of the version before, without a company.
DROP FUNCTION IF EXISTS counting.unfolded_hours(bigint, timestamptz, timestamptz);

SELECT kernel.note_file('counting', 'functions/unfolded_hours.sql', 'baa378ff3d1fe7b1');
