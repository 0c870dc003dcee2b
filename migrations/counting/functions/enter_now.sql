-- Adds entries of the present time, all alike, to a device, with the numbers that follow its last one. The user is the caller. The
-- state of the location is locked, and changed in this transaction, before.
CREATE OR REPLACE FUNCTION counting.enter_now(
    device counting.devices, present timestamptz, delta integer, count integer)
    RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO counting.entries (
        location_id, device_id, user_id, "timestamp", delta, source, series, sequence_number, created_at)
    SELECT
        (enter_now.device).location_id, (enter_now.device).id, kernel.account(), enter_now.present, enter_now.delta,
        (enter_now.device).kind, coalesce(l.series, 1), coalesce(l.sequence_number, 0) + n, enter_now.present
    FROM generate_series(1, enter_now.count) AS n
    LEFT JOIN (
        SELECT e.series, e.sequence_number FROM counting.entries AS e WHERE e.device_id = (enter_now.device).id
        ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1
    ) AS l ON true
    ORDER BY n
$$;

REVOKE EXECUTE ON FUNCTION counting.enter_now(counting.devices, timestamptz, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.enter_now(counting.devices, timestamptz, integer, integer)
    TO learntrack_counting_commands;
