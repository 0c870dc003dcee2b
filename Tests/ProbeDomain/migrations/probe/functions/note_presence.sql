-- presences.note: when a gardener was there for the last time.
CREATE OR REPLACE FUNCTION probe.note_presence() RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        INSERT INTO probe.presences (gardener_id) VALUES (kernel.subject())
        ON CONFLICT (company_id, gardener_id) DO UPDATE SET seen_at = now()
    $$;

SELECT kernel.command_keep('probe', 'probe.note_presence()', 'learntrack_gardener');
