-- Who may do what. Administrators write locations and devices; viewers read; a device reads itself and its entries. The commands
-- write the rest, and the triggers what is added up from entries.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against everything, for a moment

GRANT SELECT ON counting.locations, counting.devices, counting.device_presences, counting.entries, counting.counter_states,
    counting.counter_snapshots, counting.minutes, counting.days, counting.hours
    TO learntrack_admin, learntrack_counting_viewer, learntrack_counting_commands;
GRANT SELECT ON counting.devices, counting.device_presences, counting.entries TO learntrack_counting_device;
-- Whether a device is stale depends on its location, of which a device reads this one setting. A view, since rights to a column
-- would be rights to the location.
CREATE VIEW counting.stale_limits WITH (security_barrier) AS
SELECT d.id AS device_id, l.stale_after_seconds
FROM counting.devices AS d
JOIN counting.locations AS l ON l.id = d.location_id
WHERE kernel.subject() IS NULL OR d.id = kernel.subject();
GRANT SELECT ON counting.stale_limits
    TO learntrack_admin, learntrack_counting_viewer, learntrack_counting_device, learntrack_counting_commands;

GRANT
    INSERT (name, max_capacity, timezone, operational_boundary_hour, stale_after_seconds, gateway_lease_seconds),
    UPDATE (name, max_capacity, timezone, operational_boundary_hour, stale_after_seconds, gateway_lease_seconds),
    DELETE ON counting.locations TO learntrack_admin;
GRANT INSERT (location_id, name, kind, is_active), UPDATE (location_id, name, is_active), DELETE
    ON counting.devices TO learntrack_admin;
GRANT USAGE ON SEQUENCE counting.locations_id_seq, counting.devices_id_seq TO learntrack_admin;

-- The first override of a location makes its manual device. Rows that commands only lock take a right to update.
GRANT INSERT (location_id, name, kind), UPDATE (version) ON counting.devices TO learntrack_counting_commands;
GRANT UPDATE (version) ON counting.locations TO learntrack_counting_commands;
GRANT UPDATE (last_heartbeat_at, last_seen_at) ON counting.device_presences TO learntrack_counting_commands;
GRANT INSERT, UPDATE (missing_before) ON counting.entries TO learntrack_counting_commands;
GRANT UPDATE (last_device_seen_at, gateway_session_id, gateway_seen_at, gateway_conflict_at, noted_day, touched_in)
    ON counting.counter_states TO learntrack_counting_commands;
GRANT INSERT ON counting.counter_snapshots TO learntrack_counting_commands;
GRANT USAGE ON SEQUENCE counting.devices_id_seq, counting.entries_id_seq, counting.counter_snapshots_id_seq
    TO learntrack_counting_commands;

DO $$
DECLARE
    kept text;
BEGIN
    FOREACH kept IN ARRAY ARRAY[
        'locations', 'devices', 'device_presences', 'entries', 'counter_states', 'counter_snapshots', 'minutes', 'days', 'hours']
    LOOP
        EXECUTE format('ALTER TABLE counting.%I ENABLE ROW LEVEL SECURITY', kept);
        EXECUTE format(
            'CREATE POLICY %1$s_viewer ON counting.%1$I FOR SELECT TO learntrack_counting_viewer USING (true)', kept);
        EXECUTE format('CREATE POLICY %1$s_commands ON counting.%1$I TO learntrack_counting_commands USING (true)', kept);
        IF kept <> 'devices' THEN
            EXECUTE format('CREATE POLICY %1$s_admin ON counting.%1$I TO learntrack_admin USING (true)', kept);
        END IF;
    END LOOP;
END
$$;

-- Administrators create no manual devices.
CREATE POLICY devices_admin_read ON counting.devices FOR SELECT TO learntrack_admin USING (true);
CREATE POLICY devices_admin_create ON counting.devices FOR INSERT TO learntrack_admin WITH CHECK (kind <> 'manual');
CREATE POLICY devices_admin_update ON counting.devices FOR UPDATE TO learntrack_admin USING (true);
CREATE POLICY devices_admin_delete ON counting.devices FOR DELETE TO learntrack_admin USING (true);

CREATE POLICY devices_device ON counting.devices FOR SELECT TO learntrack_counting_device USING (id = kernel.subject());
CREATE POLICY device_presences_device ON counting.device_presences FOR SELECT TO learntrack_counting_device
    USING (device_id = kernel.subject());
CREATE POLICY entries_device ON counting.entries FOR SELECT TO learntrack_counting_device USING (device_id = kernel.subject());

SELECT kernel.journal_keep('counting.locations'), kernel.journal_keep('counting.devices');

-- Every table but the entries shows in the change feed: what a call records is one change of the state.
SELECT kernel.feed_keep('counting.locations');
SELECT kernel.feed_keep('counting.devices', 'id');
SELECT kernel.feed_keep('counting.counter_states');
SELECT kernel.feed_keep('counting.counter_snapshots');

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0004_rights.sql') ON CONFLICT DO NOTHING;
