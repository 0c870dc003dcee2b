-- Announces a session that is created without a trainer, if organisme.annonces_auto is true, organisme has a webhook and the day
-- is not over; and sends the announcement of one whose announced text changes, or that is deleted. By triggers, so that
-- sessions that commands copy and those that are written at psql are announced, too.
CREATE OR REPLACE FUNCTION public.sessions_annonce() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    company bigint := CASE TG_OP WHEN 'DELETE' THEN OLD.company_id ELSE NEW.company_id END;
    session bigint := CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.date < public.heure_locale()::date OR NOT EXISTS (
            SELECT FROM public.organisme AS o
            WHERE o.company_id = company AND o.annonces_auto AND o.discord_webhook IS NOT NULL)
        THEN
            RETURN NULL;
        END IF;
        INSERT INTO public.annonces (company_id, session_id) VALUES (company, session) ON CONFLICT DO NOTHING;
        PERFORM kernel.send('sessions.annonce', session);
    ELSIF TG_OP = 'DELETE' THEN
        -- What a mail about its message says when the session is gone.
        UPDATE public.annonces AS a SET module = OLD.module, date = OLD.date
        WHERE a.company_id = company AND a.session_id = session;
        IF FOUND THEN
            PERFORM kernel.send('sessions.annonce', session);
        END IF;
    -- The columns that the text shows. Whether there is a trainer matters, not which one; the client and the price that the
    -- client pays do not matter.
    ELSIF (OLD.module, OLD.date, OLD.debut, OLD.fin, OLD.modalite, OLD.lieu, OLD.tarif_sous_traitant,
            OLD.frais_rembourser, OLD.ref_contrat, OLD.formateur_id IS NULL)
        IS DISTINCT FROM
        (NEW.module, NEW.date, NEW.debut, NEW.fin, NEW.modalite, NEW.lieu, NEW.tarif_sous_traitant,
            NEW.frais_rembourser, NEW.ref_contrat, NEW.formateur_id IS NULL)
        AND EXISTS (SELECT FROM public.annonces AS a WHERE a.company_id = company AND a.session_id = session)
    THEN
        PERFORM kernel.send('sessions.annonce', session);
    END IF;
    RETURN NULL;
END
$$;

-- Short conditions: Postgres reads and plans them anew for each statement that writes to the table, which costs more than the
-- function does. An update that leaves the version, as that of the searchable text does, changes nothing that is announced.
CREATE OR REPLACE TRIGGER sessions_annonce AFTER INSERT ON public.sessions
    FOR EACH ROW WHEN (NEW.formateur_id IS NULL)
    EXECUTE FUNCTION public.sessions_annonce();
CREATE OR REPLACE TRIGGER sessions_annonce_change AFTER UPDATE ON public.sessions
    FOR EACH ROW WHEN (OLD.version IS DISTINCT FROM NEW.version)
    EXECUTE FUNCTION public.sessions_annonce();
CREATE OR REPLACE TRIGGER sessions_annonce_fin AFTER DELETE ON public.sessions
    FOR EACH ROW EXECUTE FUNCTION public.sessions_annonce();

SELECT kernel.command_keep('crm', 'public.sessions_annonce()', VARIADIC '{}');

SELECT kernel.note_file('crm', 'functions/sessions_annonce.sql', '15c2c92e7c728734');
