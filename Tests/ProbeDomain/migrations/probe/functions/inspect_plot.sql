-- plots.inspect: a number for the visit of a plot, in the state in which the caller has seen it.
CREATE OR REPLACE FUNCTION probe.inspect_plot(plot bigint, if_version integer) RETURNS jsonb
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
        PERFORM kernel.no_record(plot);
    END IF;
    PERFORM kernel.check_version(present.id, present.version, if_version);
    RETURN jsonb_build_object('id', format('%s-%s', present.number, present.version), 'state', present.state);
END
$$;

SELECT kernel.command_keep(
    'probe', 'probe.inspect_plot(bigint, integer)', 'learntrack_coordinator', 'learntrack_gardener');
