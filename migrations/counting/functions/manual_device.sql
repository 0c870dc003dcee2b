-- The device that has the corrections of a location, made at its first use. The caller has locked the state of the location,
-- hence no other call makes or uses it at the same time.
CREATE OR REPLACE FUNCTION counting.manual_device(of_location bigint) RETURNS counting.devices
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    device counting.devices;
BEGIN
    SELECT * INTO device FROM counting.devices AS d
    WHERE d.company_id = kernel.company() AND d.location_id = of_location AND d.kind = 'manual';
    IF NOT FOUND THEN
        INSERT INTO counting.devices (location_id, name, kind) VALUES (of_location, 'Corrections à la main', 'manual')
        RETURNING * INTO device;
    END IF;
    RETURN device;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.manual_device(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.manual_device(bigint) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/manual_device.sql', 'a01fcf138db03c42');
