-- Records events of the caller's device in their order. Each is a duplicate, the next of its series, a late one, or the first of
-- another series after a reset, by what is stored and by the events before it.
--
-- The device is locked, then the state of its location, which the call changes once. The events are read, judged one by one in
-- memory, and the new ones stored together. `entry_id` is the entry of the event, if there is one event.
CREATE OR REPLACE FUNCTION counting.record_events(
    session text, events jsonb, OUT location_id bigint, OUT present timestamptz, OUT entry_id bigint, OUT recorded integer,
    OUT duplicates integer, OUT late integer, OUT gaps integer, OUT resets integer, OUT series integer,
    OUT last_sequence_number bigint)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
    -- A table that has grown since it was analysed is read by its indexes all the same, also in the functions that are called.
    SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
    device counting.devices := counting.lock_device(kernel.subject());
    is_conflict boolean;
    event counting.received_event;
    -- The new events so far, in the order of their series and numbers.
    added counting.received_event[] := '{}';
    -- The index of the one among them that follows the event, and what has its number or the next higher one in the series.
    following integer;
    higher record;
BEGIN
    SELECT c.present, c.is_conflict INTO present, is_conflict FROM counting.note_call(device, session) AS c;
    location_id := device.location_id;
    recorded := 0;
    duplicates := 0;
    late := 0;
    gaps := 0;
    resets := 0;
    SELECT e.series, e.sequence_number INTO series, last_sequence_number FROM counting.entries AS e
    WHERE e.company_id = device.company_id AND e.device_id = device.id
    ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1;
    series := coalesce(series, 1);
    FOR event IN SELECT r.* FROM counting.received_events(device.id, events, present) AS r ORDER BY r.place LOOP
        IF event.entry_id IS NOT NULL
            OR event.is_repeated AND EXISTS (
                SELECT FROM unnest(added) AS a
                WHERE a.sequence_number = event.sequence_number
                    AND (a.device_timestamp IS NOT DISTINCT FROM event.device_timestamp
                            AND a.gateway_timestamp = event.gateway_timestamp
                        OR a."timestamp" BETWEEN event.earliest AND event.latest))
        THEN
            duplicates := duplicates + 1;
            entry_id := event.entry_id;
            CONTINUE;
        END IF;
        following := recorded + 1;
        IF last_sequence_number IS NULL OR event.sequence_number > last_sequence_number THEN
            IF event.sequence_number > last_sequence_number + 1 THEN
                gaps := gaps + 1;
            END IF;
            last_sequence_number := event.sequence_number;
        ELSE
            following := counting.first_from(added, series, event.sequence_number);
            SELECT h.* INTO higher
            FROM (
                SELECT added[following].sequence_number, added[following]."timestamp", NULL::bigint AS entry_id
                UNION ALL
                (
                    SELECT e.sequence_number, e."timestamp", e.id FROM counting.entries AS e
                    WHERE e.company_id = device.company_id AND e.device_id = device.id AND e.series = record_events.series
                        AND e.sequence_number >= event.sequence_number
                    ORDER BY e.sequence_number LIMIT 1
                )
            ) AS h
            ORDER BY h.sequence_number LIMIT 1;
            IF higher.sequence_number > event.sequence_number AND higher."timestamp" >= event.earliest THEN
                late := late + 1;
                event.next_entry_id := higher.entry_id;
            ELSE
                resets := resets + 1;
                series := series + 1;
                last_sequence_number := event.sequence_number;
                event.sequence_reset := true;
                following := recorded + 1;
            END IF;
        END IF;
        event.series := series;
        IF following > recorded THEN
            added[following] := event;
        ELSE
            added := added[:following - 1] || event || added[following:];
        END IF;
        recorded := recorded + 1;
    END LOOP;
    entry_id := coalesce(counting.add_entries(device, session, is_conflict, present, added), entry_id);
END
$$;

REVOKE EXECUTE ON FUNCTION counting.record_events(text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.record_events(text, jsonb) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/record_events.sql', 'e87829a92e8b3bd6');
