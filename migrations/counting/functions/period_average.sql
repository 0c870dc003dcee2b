-- The average over an interval: an integral over time, in people × microseconds, divided by the length. It is computed with
-- whole numbers, because a quotient that is rounded twice can differ in its last decimal. 0 for an interval without length.
CREATE OR REPLACE FUNCTION counting.period_average(area numeric, since timestamptz, until timestamptz) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN micros.length > 0
        THEN round(div(200 * coalesce(period_average.area, 0) + micros.length, 2 * micros.length) / 100, 2)
        ELSE 0.00
    END
    FROM (
        SELECT extract(epoch FROM period_average.until - period_average.since) * 1000000 AS length
    ) AS micros;
END;

REVOKE EXECUTE ON FUNCTION counting.period_average(numeric, timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.period_average(numeric, timestamptz, timestamptz)
    TO learntrack_admin, learntrack_counting_viewer;

SELECT kernel.note_file('counting', 'functions/period_average.sql', 'bf3cb3b32076a595');
