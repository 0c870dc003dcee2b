-- Locks a device until the end of the transaction: calls for one device take turns, since an event is judged by the entries before
-- it. Refuses an inactive device, and the manual device of a location, which makes no calls.
--
-- The lock is on the row of `device_presences`, so that the device itself stays as it is. The state of the location is locked
-- after it, never before. A device that moves meanwhile counts for the location that it has here.
CREATE OR REPLACE FUNCTION counting.lock_device(locked bigint) RETURNS counting.devices
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    device counting.devices;
BEGIN
    -- The foreign key of entries takes this lock later. A deletion of the device takes both locks in this order, too.
    PERFORM FROM counting.devices AS d WHERE d.company_id = kernel.company() AND d.id = locked FOR KEY SHARE;
    PERFORM FROM counting.device_presences AS p
    WHERE p.company_id = kernel.company() AND p.device_id = locked FOR NO KEY UPDATE;
    SELECT * INTO device FROM counting.devices AS d WHERE d.company_id = kernel.company() AND d.id = locked;
    IF NOT FOUND THEN
        PERFORM kernel.no_record(locked);
    ELSIF NOT device.is_active THEN
        PERFORM kernel.refuse('devices_inactive');
    ELSIF device.kind = 'manual' THEN
        PERFORM kernel.refuse('devices_manual_calls');
    END IF;
    RETURN device;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.lock_device(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.lock_device(bigint) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/lock_device.sql', 'c6e9f0a0f5a86d89');
