-- The time zone of the service: its name, and when its clocks change, from 2000 until ten years from now:
-- `{"name": "Europe/Paris", "changes": [["1970-01-01T00:00:00", 60], ["2000-03-26T02:00:00", 120], …]}`. Each change is what the
-- clocks show when it comes, and how many minutes they are ahead of universal time from then on. The first holds before 2000, too.
--
-- A change is looked for in each month, and found by halving the month until a second is left.
CREATE OR REPLACE FUNCTION kernel.time_zone() RETURNS jsonb
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
    changes jsonb := jsonb_build_array(jsonb_build_array('1970-01-01T00:00:00', ahead));
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
            changes := changes || jsonb_build_array(jsonb_build_array(
                to_char((to_timestamp(high) AT TIME ZONE 'UTC') + make_interval(mins => ahead), 'YYYY-MM-DD"T"HH24:MI:SS'),
                next));
            ahead := next;
        END IF;
        past := future;
    END LOOP;
    RETURN jsonb_build_object('name', zone, 'changes', changes);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.time_zone() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.time_zone() TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/time_zone.sql', '97d9a946ed7ea45d');
