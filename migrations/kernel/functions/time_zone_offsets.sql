-- How far the time zone of the service is ahead of universal time, since 2000 and for ten years from now:
-- `[[0, 60], [954032400, 120], …]`, each from a second since 1970 on, in minutes.
--
-- A change is looked for in each month, and found by halving the month until a second is left.
CREATE OR REPLACE FUNCTION kernel.time_zone_offsets() RETURNS jsonb
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    zone text := coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'UTC');
    past bigint := extract(epoch FROM timestamptz '2000-01-01 00:00+00');
    future bigint;
    low bigint;
    high bigint;
    middle bigint;
    ahead integer := extract(epoch FROM (to_timestamp(past) AT TIME ZONE zone) - (to_timestamp(past) AT TIME ZONE 'UTC')) / 60;
    next integer;
    offsets jsonb := jsonb_build_array(jsonb_build_array(0, ahead));
BEGIN
    WHILE past < extract(epoch FROM now() + interval '10 years') LOOP
        future := past + 30 * 86400;
        next := extract(epoch FROM (to_timestamp(future) AT TIME ZONE zone) - (to_timestamp(future) AT TIME ZONE 'UTC')) / 60;
        IF next <> ahead THEN
            low := past;
            high := future;
            WHILE high - low > 1 LOOP
                middle := (low + high) / 2;
                IF extract(epoch FROM (to_timestamp(middle) AT TIME ZONE zone) - (to_timestamp(middle) AT TIME ZONE 'UTC')) / 60
                    = ahead
                THEN
                    low := middle;
                ELSE
                    high := middle;
                END IF;
            END LOOP;
            offsets := offsets || jsonb_build_array(jsonb_build_array(high, next));
            ahead := next;
        END IF;
        past := future;
    END LOOP;
    RETURN offsets;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.time_zone_offsets() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.time_zone_offsets() TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/time_zone_offsets.sql');
