-- The rights of the entities: operations by grants, and rows by policies.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against everything, for a moment

GRANT SELECT ON ALL TABLES IN SCHEMA probe TO learntrack_coordinator, learntrack_gardener, learntrack_probe_commands;
REVOKE SELECT ON probe.hooks FROM learntrack_coordinator, learntrack_gardener;
ALTER TABLE probe.hooks ENABLE ROW LEVEL SECURITY;
CREATE POLICY hooks_commands ON probe.hooks TO learntrack_probe_commands USING (true);

GRANT INSERT (name, email, is_suspended), UPDATE (name, email, is_suspended), DELETE
    ON probe.gardeners TO learntrack_coordinator;
-- The key of a supplier is written and never read.
REVOKE SELECT ON probe.crops FROM learntrack_coordinator, learntrack_gardener;
GRANT SELECT (id, code, name, created_at, updated_at, version)
    ON probe.crops TO learntrack_coordinator, learntrack_gardener;
GRANT INSERT (code, name, supplier_key), UPDATE (code, name, supplier_key), DELETE ON probe.crops TO learntrack_coordinator;
GRANT UPDATE (name) ON probe.gardens TO learntrack_coordinator;
GRANT UPDATE (motto, poster) ON probe.seasons TO learntrack_coordinator;
GRANT DELETE ON probe.plots, probe.presences TO learntrack_coordinator;

GRANT INSERT (gardener_id, number, name, rotation, labels, soil), UPDATE (name, rotation, labels, soil)
    ON probe.plots TO learntrack_coordinator, learntrack_gardener;
GRANT INSERT (gardener_id, plot_id, crop_id, quantity, planted), UPDATE (crop_id, quantity, planted), DELETE
    ON probe.plantings TO learntrack_coordinator, learntrack_gardener;
GRANT INSERT (gardener_id, plot_id, mood, text, blocks) ON probe.observations TO learntrack_coordinator, learntrack_gardener;
GRANT DELETE ON probe.greenhouse_bookings TO learntrack_coordinator, learntrack_gardener;

GRANT INSERT (name, email) ON probe.gardeners TO learntrack_probe_commands;
GRANT UPDATE (is_suspended, suspended_until, welcomed_at, welcome_failure, hook_answer) ON probe.gardeners TO learntrack_probe_commands;
GRANT UPDATE (state) ON probe.plots TO learntrack_probe_commands;
GRANT INSERT ON probe.plantings, probe.harvests, probe.presences, probe.greenhouse_bookings, probe.seasons, probe.gardens
    TO learntrack_probe_commands;
GRANT UPDATE (seen_at) ON probe.presences TO learntrack_probe_commands;

GRANT USAGE ON SEQUENCE probe.gardeners_id_seq, probe.crops_id_seq TO learntrack_coordinator;
GRANT USAGE ON SEQUENCE probe.plots_id_seq, probe.plantings_id_seq, probe.observations_id_seq
    TO learntrack_coordinator, learntrack_gardener;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA probe TO learntrack_probe_commands;

DO $$
DECLARE
    kept text;
    own text;
BEGIN
    FOR kept, own IN VALUES
        ('gardeners', 'id'), ('plots', 'gardener_id'), ('crops', NULL), ('plantings', 'gardener_id'),
        ('harvests', 'gardener_id'), ('observations', 'gardener_id'), ('presences', 'gardener_id'),
        ('greenhouse_bookings', 'gardener_id'), ('seasons', NULL), ('gardens', NULL)
    LOOP
        EXECUTE format('ALTER TABLE probe.%I ENABLE ROW LEVEL SECURITY', kept);
        EXECUTE format(
            'CREATE POLICY %1$s_every ON probe.%1$I TO learntrack_coordinator, learntrack_probe_commands USING (true)',
            kept);
        EXECUTE format(
            'CREATE POLICY %1$s_own ON probe.%1$I TO learntrack_gardener USING (%2$s)',
            kept, coalesce(own || ' = kernel.subject()', 'true'));
    END LOOP;
END
$$;

INSERT INTO kernel.migrations (domain, name) VALUES ('probe', '0002_rights.sql') ON CONFLICT DO NOTHING;
