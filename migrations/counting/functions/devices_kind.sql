-- Calls create no manual device: the first override of a location does. A policy says the same, but its refusal has no message.
CREATE OR REPLACE FUNCTION counting.devices_kind() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF current_user = 'learntrack_admin' THEN
        PERFORM kernel.refuse('devices_kind_manual');
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER devices_kind BEFORE INSERT ON counting.devices
    FOR EACH ROW WHEN (NEW.kind = 'manual') EXECUTE FUNCTION counting.devices_kind();

-- The manual device stays with its location: its entries are the corrections of that location.
CREATE OR REPLACE FUNCTION counting.devices_manual() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NEW.kind <> OLD.kind THEN
        PERFORM kernel.refuse('devices_kind_manual');
    END IF;
    PERFORM kernel.refuse('devices_manual_location');
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER devices_manual BEFORE UPDATE ON counting.devices
    FOR EACH ROW WHEN ('manual' IN (OLD.kind, NEW.kind)
        AND (NEW.kind, NEW.location_id) IS DISTINCT FROM (OLD.kind, OLD.location_id))
    EXECUTE FUNCTION counting.devices_manual();

SELECT kernel.note_file('counting', 'functions/devices_kind.sql', 'b3adb14db0511df2');
