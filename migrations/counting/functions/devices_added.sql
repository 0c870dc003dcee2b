-- A device has its row of calls from the start.
CREATE OR REPLACE FUNCTION counting.devices_added() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO counting.device_presences (company_id, device_id) VALUES (NEW.company_id, NEW.id);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.devices_added() FROM PUBLIC;

CREATE OR REPLACE TRIGGER devices_added AFTER INSERT ON counting.devices
    FOR EACH ROW EXECUTE FUNCTION counting.devices_added();

SELECT kernel.note_file('counting', 'functions/devices_added.sql', 'd700da9ab3ba7504');
