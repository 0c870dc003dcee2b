-- Reads the events of a call: the times that are stored of them, the instants by the clocks that are believed, and the entries
-- that are stored of them already. They are not judged yet.
--
-- Two events are the same if they have one number, and either the same times or instants at most 2 seconds apart.
CREATE OR REPLACE FUNCTION counting.received_events(device_id bigint, events jsonb, present timestamptz)
    RETURNS SETOF counting.received_event
    LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH sent AS (
        SELECT
            j.place, j.sequence_number, j.delta, counting.storable(j.gateway_timestamp) AS gateway_timestamp,
            counting.storable(j.device_timestamp) AS device_timestamp
        FROM ROWS FROM (
            jsonb_to_recordset(events) AS (
                sequence_number bigint, delta integer, gateway_timestamp timestamptz, device_timestamp timestamptz)
        ) WITH ORDINALITY AS j (sequence_number, delta, gateway_timestamp, device_timestamp, place)
    ), dated AS (
        SELECT
            s.*, b.*, b."timestamp" - interval '2 seconds' AS earliest, b."timestamp" + interval '2 seconds' AS latest
        FROM sent AS s
        CROSS JOIN LATERAL counting.believed(s.device_timestamp, s.gateway_timestamp, present) AS b
    )
    SELECT
        d.place, NULL::integer, d.sequence_number, d."timestamp", d.earliest, d.latest, d.delta, false, d.is_skewed,
        row_number() OVER (PARTITION BY d.sequence_number ORDER BY d.place) > 1,
        d.gateway_timestamp, d.device_timestamp, d.source,
        -- Two searches, each with an index of its own: a device that starts anew each day has a number many times. OFFSET 0 keeps
        -- the maximum out of the search: before the table is analysed, the planner would go through the ids of all entries for it.
        coalesce(
            (
                SELECT max(f.id) FROM (
                    SELECT e.id FROM counting.entries AS e
                    WHERE e.company_id = kernel.company() AND e.device_id = received_events.device_id
                        AND e.sequence_number = d.sequence_number
                        AND e.gateway_timestamp = d.gateway_timestamp
                        AND e.device_timestamp IS NOT DISTINCT FROM d.device_timestamp
                    OFFSET 0
                ) AS f
            ),
            (
                SELECT max(f.id) FROM (
                    SELECT e.id FROM counting.entries AS e
                    WHERE e.company_id = kernel.company() AND e.device_id = received_events.device_id
                        AND e.sequence_number = d.sequence_number
                        AND e."timestamp" BETWEEN d.earliest AND d.latest
                    OFFSET 0
                ) AS f
            )),
        NULL::bigint
    FROM dated AS d;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.received_events(bigint, jsonb, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.received_events(bigint, jsonb, timestamptz) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/received_events.sql', '178d77fc4e75e17b');
