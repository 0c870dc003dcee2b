-- What a device has sent, from its entries and its calls. A device without entries is in its first series.

CREATE OR REPLACE FUNCTION counting.series(device counting.devices) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(
        (
            SELECT e.series FROM counting.entries AS e WHERE e.device_id = (device).id
            ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1
        ), 1);

CREATE OR REPLACE FUNCTION counting.last_sequence_number(device counting.devices) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT e.sequence_number FROM counting.entries AS e WHERE e.device_id = (device).id
        ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1);

CREATE OR REPLACE FUNCTION counting.last_event_at(device counting.devices) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT e."timestamp" FROM counting.entries AS e WHERE e.device_id = (device).id
        ORDER BY e."timestamp" DESC, e.id DESC LIMIT 1);

CREATE OR REPLACE FUNCTION counting.last_heartbeat_at(device counting.devices) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT p.last_heartbeat_at FROM counting.device_presences AS p WHERE p.device_id = (device).id);

CREATE OR REPLACE FUNCTION counting.last_seen_at(device counting.devices) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT p.last_seen_at FROM counting.device_presences AS p WHERE p.device_id = (device).id);

-- An active device that was not seen for longer than its location allows. A manual device makes no calls.
CREATE OR REPLACE FUNCTION counting.is_stale(device counting.devices) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (device).is_active AND (device).kind <> 'manual' AND (
        SELECT coalesce(counting.last_seen_at(device), (device).created_at)
            < statement_timestamp() - make_interval(secs => l.stale_after_seconds)
        FROM counting.stale_limits AS l WHERE l.device_id = (device).id);

SELECT kernel.note_file('counting', 'functions/derived_of_devices.sql', '34184d3f3dcd4384');
