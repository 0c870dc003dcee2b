-- Notes a call of a gateway for a device that is locked: the device and its location were seen, and the session holds the location
-- unless another one holds it already, which is a conflict. A session holds it until it was silent for the time of the lease.
--
-- This is the one change of the state that the call makes: the triggers of entries find it changed in this transaction.
CREATE OR REPLACE FUNCTION counting.note_call(
    device counting.devices, session text, OUT present timestamptz, OUT is_conflict boolean)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    present := counting.lock_state(device.location_id);
    -- A statement after the lock: it sees settings that were written before.
    SELECT coalesce(
        s.gateway_session_id <> session
            AND s.gateway_seen_at + make_interval(secs => l.gateway_lease_seconds) > present,
        false)
        INTO is_conflict
    FROM counting.counter_states AS s
    JOIN counting.locations AS l ON l.company_id = s.company_id AND l.id = s.location_id
    WHERE s.company_id = device.company_id AND s.location_id = device.location_id;
    IF is_conflict THEN
        UPDATE counting.counter_states AS s
        SET last_device_seen_at = present, gateway_conflict_at = present, touched_in = pg_current_xact_id()
        WHERE s.company_id = device.company_id AND s.location_id = device.location_id;
    ELSE
        UPDATE counting.counter_states AS s
        SET last_device_seen_at = present, gateway_session_id = session, gateway_seen_at = present,
            touched_in = pg_current_xact_id()
        WHERE s.company_id = device.company_id AND s.location_id = device.location_id;
    END IF;
    UPDATE counting.device_presences AS p SET last_seen_at = present
    WHERE p.company_id = device.company_id AND p.device_id = device.id;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.note_call(counting.devices, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.note_call(counting.devices, text) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/note_call.sql', '74273623588904a9');
