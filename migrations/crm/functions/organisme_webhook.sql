-- Sends again what was given up, when discord_webhook is written, be it the same address: the edits of messages, those of deleted
-- sessions too, and the announcements of sessions that are not over.
CREATE OR REPLACE FUNCTION public.organisme_webhook() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    session bigint;
BEGIN
    FOR session IN
        SELECT a.session_id FROM public.annonces AS a
        LEFT JOIN public.sessions AS s ON s.company_id = a.company_id AND s.id = a.session_id
        WHERE a.company_id = NEW.company_id AND a.abandonnee
            AND (a.message IS NOT NULL OR s.date >= public.heure_locale()::date)
        ORDER BY a.session_id
    LOOP
        UPDATE public.annonces AS a SET abandonnee = false
        WHERE a.company_id = NEW.company_id AND a.session_id = session;
        PERFORM kernel.send('sessions.annonce', session);
    END LOOP;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER organisme_webhook AFTER UPDATE OF discord_webhook ON public.organisme
    FOR EACH ROW WHEN (NEW.discord_webhook IS NOT NULL)
    EXECUTE FUNCTION public.organisme_webhook();

SELECT kernel.command_keep('crm', 'public.organisme_webhook()', VARIADIC '{}');

SELECT kernel.note_file('crm', 'functions/organisme_webhook.sql', '9efd7fffba29aca9');
