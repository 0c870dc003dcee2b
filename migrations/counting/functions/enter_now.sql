-- Adds entries of the present time, all alike, to a device, with the numbers that follow its last one. The user is the caller. The
-- state of the location is locked, and changed in this transaction, before.
--
-- A device may have sent a number so large that they have no room after it. They are then numbered from 1, in another series.
CREATE OR REPLACE FUNCTION counting.enter_now(
    device counting.devices, present timestamptz, delta integer, count integer)
    RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO counting.entries (
        company_id, location_id, device_id, user_id, "timestamp", delta, source, series, sequence_number, sequence_reset,
        created_at, updated_at)
    SELECT
        (enter_now.device).company_id, (enter_now.device).location_id, (enter_now.device).id, kernel.account(),
        enter_now.present, enter_now.delta, (enter_now.device).kind, coalesce(l.series, 1), coalesce(l.sequence_number, 0) + n,
        coalesce(l.is_reset, false) AND n = 1, enter_now.present, enter_now.present
    FROM generate_series(1, enter_now.count) AS n
    LEFT JOIN (
        SELECT
            CASE WHEN o.is_over THEN o.series + 1 ELSE o.series END AS series,
            CASE WHEN o.is_over THEN 0 ELSE o.sequence_number END AS sequence_number,
            o.is_over AS is_reset
        FROM (
            SELECT e.series, e.sequence_number, e.sequence_number > 9223372036854775807 - enter_now.count AS is_over
            FROM counting.entries AS e
            WHERE e.company_id = (enter_now.device).company_id AND e.device_id = (enter_now.device).id
            ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1
        ) AS o
    ) AS l ON true
    ORDER BY n
$$;

REVOKE EXECUTE ON FUNCTION counting.enter_now(counting.devices, timestamptz, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.enter_now(counting.devices, timestamptz, integer, integer)
    TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/enter_now.sql', '0991e0bb05cf2dd3');
