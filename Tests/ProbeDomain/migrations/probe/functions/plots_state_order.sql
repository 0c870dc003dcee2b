-- The order of a plot's states, also for who changes the table without the command.
CREATE OR REPLACE FUNCTION probe.plots_state_order() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF (OLD.state, NEW.state) NOT IN (('fallow', 'planted'), ('planted', 'resting'), ('resting', 'fallow')) THEN
        PERFORM kernel.refuse('plots_state_order', jsonb_build_object('state', OLD.state));
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER plots_state_order BEFORE UPDATE OF state ON probe.plots
    FOR EACH ROW EXECUTE FUNCTION probe.plots_state_order();
