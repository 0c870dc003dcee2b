-- entries.simulate: entries of a simulator, of now. It counts as seen, as if it had called. It has no gateway.
CREATE OR REPLACE FUNCTION counting.simulate(simulator bigint, delta integer, count integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    device counting.devices;
    present timestamptz;
    state bigint;
BEGIN
    IF EXISTS (
        SELECT FROM counting.devices AS d
        WHERE d.company_id = kernel.company() AND d.id = simulator AND d.kind <> 'simulator')
    THEN
        PERFORM kernel.refuse('simulate_simulator', path => '/device_id');
    END IF;
    device := counting.lock_device(simulator);
    present := counting.lock_state(device.location_id);
    UPDATE counting.device_presences AS p SET last_seen_at = present
    WHERE p.company_id = device.company_id AND p.device_id = device.id;
    UPDATE counting.counter_states AS s SET last_device_seen_at = present, touched_in = pg_current_xact_id()
    WHERE s.company_id = device.company_id AND s.location_id = device.location_id
    RETURNING s.id INTO state;
    PERFORM counting.enter_now(device, present, delta, count);
    RETURN state;
END
$$;

SELECT kernel.command_keep('counting', 'counting.simulate(bigint, integer, integer)', 'learntrack_admin');

SELECT kernel.note_file('counting', 'functions/simulate.sql', '7926b99f8b6a6003');
