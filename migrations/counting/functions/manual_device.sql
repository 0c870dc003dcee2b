-- The device that has the corrections of a location, made at its first use. The caller has locked the state of the location,
-- hence no other call makes or uses it at the same time. Refuses an inactive one.
CREATE OR REPLACE FUNCTION counting.manual_device(of_location bigint) RETURNS counting.devices
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    device counting.devices;
BEGIN
    -- Until the end of the transaction it does not move to another location.
    SELECT * INTO device FROM counting.devices AS d WHERE d.location_id = of_location AND d.kind = 'manual'
    ORDER BY d.id LIMIT 1 FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        INSERT INTO counting.devices (location_id, name, kind) VALUES (of_location, 'Corrections à la main', 'manual')
        RETURNING * INTO device;
    ELSIF NOT device.is_active THEN
        PERFORM kernel.refuse('devices_inactive');
    END IF;
    RETURN device;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.manual_device(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.manual_device(bigint) TO learntrack_counting_commands;
