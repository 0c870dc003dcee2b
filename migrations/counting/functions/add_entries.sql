-- Stores the new events of a device as its entries, in their order, and returns the id of the last one; null without any.
--
-- One statement stores them: after each that adds entries, what is summed up from them is computed anew. How many events are
-- missing before an entry follows from the next lower number of its series, whether that is stored already or added with it.
CREATE OR REPLACE FUNCTION counting.add_entries(
    device counting.devices, session text, is_conflict boolean, present timestamptz, added counting.received_event[])
    RETURNS bigint
    LANGUAGE plpgsql
AS $$
DECLARE
    last_id bigint;
BEGIN
    IF cardinality(added) = 0 THEN
        RETURN NULL;
    END IF;
    WITH stored AS (
        INSERT INTO counting.entries (
            company_id, location_id, device_id, "timestamp", delta, source, series, sequence_number,
            device_timestamp, gateway_timestamp, timestamp_source, gateway_session_id,
            missing_before,
            sequence_reset, clock_skew, gateway_conflict, created_at, updated_at)
        SELECT
            device.company_id, device.location_id, device.id, a."timestamp", a.delta, device.kind, a.series, a.sequence_number,
            a.device_timestamp, a.gateway_timestamp, a.timestamp_source, session,
            coalesce(
                a.sequence_number - greatest(
                    lag(a.sequence_number) OVER (PARTITION BY a.series ORDER BY a.sequence_number),
                    -- By series and number, in the order of an index: other series of the device have the same numbers.
                    (
                        SELECT CASE WHEN e.series = a.series THEN e.sequence_number END FROM counting.entries AS e
                        WHERE e.company_id = device.company_id AND e.device_id = device.id
                            AND (e.series, e.sequence_number) < (a.series, a.sequence_number)
                        ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1
                    )) - 1,
                0),
            a.sequence_reset, a.clock_skew, is_conflict, present, present
        FROM unnest(added) AS a
        ORDER BY a.place
        RETURNING id)
    SELECT max(s.id) INTO last_id FROM stored AS s;
    -- Fewer events are missing before an entry that follows late ones: those since the last of these.
    IF EXISTS (SELECT FROM unnest(added) AS a WHERE a.next_entry_id IS NOT NULL) THEN
        UPDATE counting.entries AS e SET missing_before = e.sequence_number - l.sequence_number - 1
        FROM (
            SELECT a.next_entry_id, max(a.sequence_number) AS sequence_number
            FROM unnest(added) AS a
            WHERE a.next_entry_id IS NOT NULL
            GROUP BY a.next_entry_id
        ) AS l
        WHERE e.company_id = device.company_id AND e.id = l.next_entry_id
            AND e.missing_before <> e.sequence_number - l.sequence_number - 1;
    END IF;
    RETURN last_id;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.add_entries(
    counting.devices, text, boolean, timestamptz, counting.received_event[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.add_entries(
    counting.devices, text, boolean, timestamptz, counting.received_event[]) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/add_entries.sql', '960c1030bcd71964');
