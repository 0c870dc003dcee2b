-- The place of a distance session.
CREATE OR REPLACE FUNCTION public.lieu_a_distance() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    NEW.lieu := E'\u00C0 distance';
    RETURN NEW;
END
$$;

-- The condition stands in the trigger, so that the other rows do not pay for a call. No other trigger changes these columns.
CREATE OR REPLACE TRIGGER sessions_lieu BEFORE INSERT OR UPDATE OF lieu, modalite ON public.sessions
    FOR EACH ROW WHEN (NEW.lieu IS NULL AND NEW.modalite = 'D') EXECUTE FUNCTION public.lieu_a_distance();

SELECT kernel.note_file('crm', 'functions/lieu_a_distance.sql', '3752165bcbfc4b38');
