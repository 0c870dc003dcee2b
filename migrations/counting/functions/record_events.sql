-- Records events of the caller's device in their order. Each is a duplicate, the next of its series, a late one, or the first of
-- another series after a reset, by what is stored and by the events before it.
--
-- The events are judged in memory, then stored by one statement: after each statement that adds entries, what is summed up from
-- them is computed anew. `entry_id` is the entry of the event, if there is one event.
CREATE OR REPLACE FUNCTION counting.record_events(
    session text, events jsonb, OUT location_id bigint, OUT present timestamptz, OUT entry_id bigint, OUT recorded integer,
    OUT duplicates integer, OUT late integer, OUT gaps integer, OUT resets integer, OUT series integer,
    OUT last_sequence_number bigint)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
    -- A table that has grown since it was analysed is read by its indexes all the same.
    SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
    tolerance CONSTANT interval := '2 seconds';
    device counting.devices := counting.lock_device(kernel.subject());
    is_conflict boolean;
    -- The current series as it is stored.
    stored_series integer;
    stored_last bigint;
    event record;
    entry counting.entries;
    missing bigint;
    made counting.entries[] := '{}';
    made_missing bigint[] := '{}';
    -- The numbers of the current series that are in `made`, ascending, and their places there.
    numbers bigint[] := '{}';
    places integer[] := '{}';
    lower_count integer;
    lower_number bigint;
    higher_number bigint;
    higher_timestamp timestamptz;
    stored_higher counting.entries;
    -- Stored entries before which a late event has its place.
    preceded bigint[] := '{}';
    preceded_missing bigint[] := '{}';
BEGIN
    SELECT c.present, c.is_conflict INTO present, is_conflict FROM counting.note_call(device, session) AS c;
    location_id := device.location_id;
    recorded := 0;
    duplicates := 0;
    late := 0;
    gaps := 0;
    resets := 0;
    SELECT e.series, e.sequence_number INTO stored_series, stored_last FROM counting.entries AS e
    WHERE e.device_id = device.id ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1;
    series := coalesce(stored_series, 1);
    last_sequence_number := stored_last;
    FOR event IN
        SELECT g.*, b.*,
            row_number() OVER (PARTITION BY g.sequence_number ORDER BY g.place) > 1 AS is_repeated,
            -- Two searches, each with an index of its own: a device that starts anew each day has a number many times.
            coalesce(
                (
                    SELECT e.id FROM counting.entries AS e
                    WHERE e.device_id = device.id AND e.sequence_number = g.sequence_number
                        AND e.gateway_timestamp = g.gateway_timestamp
                        AND e.device_timestamp IS NOT DISTINCT FROM g.device_timestamp
                    ORDER BY e.id DESC LIMIT 1
                ),
                (
                    SELECT e.id FROM counting.entries AS e
                    WHERE e.device_id = device.id AND e.sequence_number = g.sequence_number
                        AND e."timestamp" BETWEEN b."timestamp" - tolerance AND b."timestamp" + tolerance
                    ORDER BY e.id DESC LIMIT 1
                )
            ) AS duplicate_of
        FROM (
            SELECT e.place, e.sequence_number, e.delta,
                counting.storable(e.gateway_timestamp) AS gateway_timestamp,
                counting.storable(e.device_timestamp) AS device_timestamp
            FROM ROWS FROM (
                jsonb_to_recordset(events) AS (
                    sequence_number bigint, delta integer, gateway_timestamp timestamptz, device_timestamp timestamptz)
            ) WITH ORDINALITY AS e (sequence_number, delta, gateway_timestamp, device_timestamp, place)
        ) AS g
        CROSS JOIN LATERAL counting.believed(g.device_timestamp, g.gateway_timestamp, present) AS b
        ORDER BY g.place
    LOOP
        IF event.duplicate_of IS NOT NULL
            OR event.is_repeated AND EXISTS (
                SELECT FROM unnest(made) AS m
                WHERE m.sequence_number = event.sequence_number
                    AND (m.device_timestamp IS NOT DISTINCT FROM event.device_timestamp
                            AND m.gateway_timestamp = event.gateway_timestamp
                        OR m."timestamp" BETWEEN event."timestamp" - tolerance AND event."timestamp" + tolerance))
        THEN
            duplicates := duplicates + 1;
            entry_id := event.duplicate_of;
            CONTINUE;
        END IF;
        recorded := recorded + 1;
        entry.sequence_reset := false;
        IF last_sequence_number IS NULL OR event.sequence_number > last_sequence_number THEN
            missing := coalesce(event.sequence_number - last_sequence_number - 1, 0);
            IF missing > 0 THEN
                gaps := gaps + 1;
            END IF;
            last_sequence_number := event.sequence_number;
            numbers := numbers || event.sequence_number;
            places := places || recorded;
        ELSE
            -- The entries of the next lower and the next higher number, or of this number: first of those in memory.
            lower_count := CASE
                WHEN cardinality(numbers) = 0 THEN 0
                ELSE width_bucket(event.sequence_number - 1, numbers)
            END;
            lower_number := numbers[lower_count];
            higher_number := numbers[lower_count + 1];
            higher_timestamp := made[places[lower_count + 1]]."timestamp";
            stored_higher := NULL;
            IF series = stored_series THEN
                SELECT e.* INTO stored_higher FROM counting.entries AS e
                WHERE e.device_id = device.id AND e.series = stored_series AND e.sequence_number >= event.sequence_number
                    AND (higher_number IS NULL OR e.sequence_number < higher_number)
                ORDER BY e.sequence_number LIMIT 1;
                IF FOUND THEN
                    higher_number := stored_higher.sequence_number;
                    higher_timestamp := stored_higher."timestamp";
                END IF;
            END IF;
            IF higher_number > event.sequence_number AND event."timestamp" <= higher_timestamp + tolerance THEN
                late := late + 1;
                IF series = stored_series THEN
                    lower_number := greatest(
                        lower_number,
                        (
                            SELECT max(e.sequence_number) FROM counting.entries AS e
                            WHERE e.device_id = device.id AND e.series = stored_series
                                AND e.sequence_number < event.sequence_number));
                END IF;
                missing := coalesce(event.sequence_number - lower_number - 1, 0);
                IF stored_higher.id IS NULL THEN
                    made_missing[places[lower_count + 1]] := higher_number - event.sequence_number - 1;
                ELSE
                    preceded := preceded || stored_higher.id;
                    preceded_missing := preceded_missing || higher_number - event.sequence_number - 1;
                END IF;
                numbers := numbers[:lower_count] || event.sequence_number || numbers[lower_count + 1:];
                places := places[:lower_count] || recorded || places[lower_count + 1:];
            ELSE
                resets := resets + 1;
                series := series + 1;
                entry.sequence_reset := true;
                missing := 0;
                last_sequence_number := event.sequence_number;
                numbers := ARRAY[event.sequence_number];
                places := ARRAY[recorded];
            END IF;
        END IF;
        entry.series := series;
        entry.sequence_number := event.sequence_number;
        entry.delta := event.delta;
        entry."timestamp" := event."timestamp";
        entry.device_timestamp := event.device_timestamp;
        entry.gateway_timestamp := event.gateway_timestamp;
        entry.timestamp_source := event.source;
        entry.clock_skew := event.is_skewed;
        made[recorded] := entry;
        made_missing[recorded] := missing;
    END LOOP;
    IF recorded > 0 THEN
        WITH stored AS (
            INSERT INTO counting.entries (
                location_id, device_id, "timestamp", delta, source, series, sequence_number, device_timestamp,
                gateway_timestamp, timestamp_source, gateway_session_id, missing_before, sequence_reset, clock_skew,
                gateway_conflict, created_at, updated_at)
            SELECT
                device.location_id, device.id, m."timestamp", m.delta, device.kind, m.series, m.sequence_number,
                m.device_timestamp, m.gateway_timestamp, m.timestamp_source, session, made_missing[m.ordinality],
                m.sequence_reset, m.clock_skew, is_conflict, present, present
            FROM unnest(made) WITH ORDINALITY AS m
            ORDER BY m.ordinality
            RETURNING id)
        SELECT max(stored.id) INTO entry_id FROM stored;
    END IF;
    IF cardinality(preceded) > 0 THEN
        -- Each late event before an entry is nearer to it than those before.
        UPDATE counting.entries AS e SET missing_before = p.missing
        FROM (
            SELECT u.id, min(u.missing) AS missing FROM unnest(preceded, preceded_missing) AS u (id, missing) GROUP BY u.id
        ) AS p
        WHERE e.id = p.id AND e.missing_before <> p.missing;
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.record_events(text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.record_events(text, jsonb) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/record_events.sql', 'a7f7f160c8372bbe');
