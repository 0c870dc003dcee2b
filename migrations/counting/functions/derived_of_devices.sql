-- What a device has sent, from its entries and its calls. A device without entries is in its first series.

CREATE OR REPLACE FUNCTION counting.series(device counting.devices) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(
        (
            SELECT e.series FROM counting.entries AS e
            WHERE e.company_id = (device).company_id AND e.device_id = (device).id
            ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1
        ), 1);

CREATE OR REPLACE FUNCTION counting.last_sequence_number(device counting.devices) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT e.sequence_number FROM counting.entries AS e
        WHERE e.company_id = (device).company_id AND e.device_id = (device).id
        ORDER BY e.series DESC, e.sequence_number DESC LIMIT 1);

CREATE OR REPLACE FUNCTION counting.last_event_at(device counting.devices) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT e."timestamp" FROM counting.entries AS e
        WHERE e.company_id = (device).company_id AND e.device_id = (device).id
        ORDER BY e."timestamp" DESC, e.id DESC LIMIT 1);

CREATE OR REPLACE FUNCTION counting.last_heartbeat_at(device counting.devices) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT p.last_heartbeat_at FROM counting.device_presences AS p
        WHERE p.company_id = (device).company_id AND p.device_id = (device).id);

CREATE OR REPLACE FUNCTION counting.last_seen_at(device counting.devices) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT p.last_seen_at FROM counting.device_presences AS p
        WHERE p.company_id = (device).company_id AND p.device_id = (device).id);

-- How long a device may be silent: a setting of its location. A view, since a device reads only this one of them, and rights to a
-- column would be rights to the location.
CREATE OR REPLACE VIEW counting.stale_limits WITH (security_barrier) AS
SELECT d.id AS device_id, l.stale_after_seconds, d.company_id
FROM counting.devices AS d
JOIN counting.locations AS l ON l.company_id = d.company_id AND l.id = d.location_id
WHERE d.company_id = kernel.company() AND (kernel.subject() IS NULL OR d.id = kernel.subject());

-- An active device that was not seen for longer than its location allows. A manual device makes no calls.
CREATE OR REPLACE FUNCTION counting.is_stale(device counting.devices) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (device).is_active AND (device).kind <> 'manual' AND (
        SELECT coalesce(counting.last_seen_at(device), (device).created_at)
            < statement_timestamp() - make_interval(secs => l.stale_after_seconds)
        FROM counting.stale_limits AS l
        WHERE l.company_id = (device).company_id AND l.device_id = (device).id);

SELECT kernel.note_file('counting', 'functions/derived_of_devices.sql', '492a7211d2bb6b0f');
