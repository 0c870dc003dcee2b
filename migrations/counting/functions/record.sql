-- entries.record: one event of the caller's device. A duplicate is answered with the entry that is stored.
--
-- In PL/pgSQL, because Postgres looks for the functions in a body of SQL when it is created, and that of record_events.sql is
-- created after this one.
CREATE OR REPLACE FUNCTION counting.record(
    sequence_number bigint, delta integer, gateway_timestamp timestamptz, device_timestamp timestamptz,
    gateway_session_id text)
    RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (
        SELECT r.entry_id
        FROM counting.record_events(
            record.gateway_session_id,
            jsonb_build_array(jsonb_build_object(
                'sequence_number', record.sequence_number, 'delta', record.delta,
                'gateway_timestamp', record.gateway_timestamp, 'device_timestamp', record.device_timestamp))) AS r);
END
$$;

SELECT kernel.command_keep(
    'counting', 'counting.record(bigint, integer, timestamptz, timestamptz, text)', 'learntrack_counting_device');

SELECT kernel.note_file('counting', 'functions/record.sql', '535f9f2a144a66fb');
