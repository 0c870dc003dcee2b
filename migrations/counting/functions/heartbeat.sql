-- devices.heartbeat: the caller's device works, also when no one passes.
CREATE OR REPLACE FUNCTION counting.heartbeat(gateway_session_id text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    device counting.devices := counting.lock_device(kernel.subject());
BEGIN
    PERFORM counting.note_call(device, gateway_session_id);
    UPDATE counting.device_presences AS p SET last_heartbeat_at = p.last_seen_at
    WHERE p.company_id = device.company_id AND p.device_id = device.id;
    RETURN device.id;
END
$$;

SELECT kernel.command_keep('counting', 'counting.heartbeat(text)', 'learntrack_counting_device');

SELECT kernel.note_file('counting', 'functions/heartbeat.sql', '709a94eafb4e44c2');
