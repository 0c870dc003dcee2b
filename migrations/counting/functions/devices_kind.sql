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
