-- sessions.annoncer: announces a session of today or later that has no trainer, or sends its announcement anew: also with the same
-- text, and as a new message if the old one was deleted on Discord. The message of a session that has a trainer is struck through
-- again.
CREATE OR REPLACE FUNCTION public.sessions_annoncer(session bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    annoncee public.sessions;
    est_publiee boolean;
BEGIN
    -- A change of the session waits for this transaction, and then finds the announcement.
    SELECT * INTO annoncee FROM public.sessions AS s
    WHERE s.company_id = kernel.company() AND s.id = session FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    est_publiee := EXISTS (
        SELECT FROM public.annonces AS a
        WHERE a.company_id = kernel.company() AND a.session_id = session AND a.message IS NOT NULL);
    IF annoncee.formateur_id IS NOT NULL AND NOT est_publiee THEN
        PERFORM kernel.refuse('sessions_annoncer_pourvue');
    END IF;
    IF NOT est_publiee AND annoncee.date < public.heure_locale()::date THEN
        PERFORM kernel.refuse('sessions_annoncer_passee');
    END IF;
    IF NOT est_publiee AND NOT EXISTS (
        SELECT FROM public.organisme AS o WHERE o.company_id = kernel.company() AND o.discord_webhook IS NOT NULL)
    THEN
        PERFORM kernel.refuse('sessions_annoncer_webhook');
    END IF;
    INSERT INTO public.annonces (session_id, demandee) VALUES (session, true)
    ON CONFLICT (company_id, session_id) DO UPDATE SET demandee = true;
    PERFORM kernel.send('sessions.annonce', session);
    RETURN session;
END
$$;

SELECT kernel.command_keep('crm', 'public.sessions_annoncer(bigint)', 'learntrack_user', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/sessions_annoncer.sql', 'f578eeeaced5d204');
