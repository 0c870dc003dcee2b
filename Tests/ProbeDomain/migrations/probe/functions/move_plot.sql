-- plots.move: a trigger decides which state follows.
CREATE OR REPLACE FUNCTION probe.move_plot(plot bigint, new_state text, if_version integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present probe.plots;
BEGIN
    SELECT * INTO present FROM probe.plots AS p
    WHERE p.company_id = kernel.company() AND p.id = plot
        AND (kernel.role() = 'coordinator' OR p.gardener_id = kernel.subject())
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM kernel.check_version(present.id, present.version, if_version);
    UPDATE probe.plots AS p SET state = new_state WHERE p.company_id = kernel.company() AND p.id = plot;
    RETURN plot;
END
$$;

SELECT kernel.command_keep(
    'probe', 'probe.move_plot(bigint, text, integer)', 'learntrack_coordinator', 'learntrack_gardener');
