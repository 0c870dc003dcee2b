-- A secret of the notice sessions.annonce: what it needs to know about the announcement of a session, with the address of the
-- webhook, as JSON; NULL if there is nothing to send.
--
-- adresse   the webhook. A message that was posted is edited by the webhook that has posted it. For one that is to be posted,
--           the address is kept here, before it is used: the organisme may have another one when the answer comes.
-- actuelle  whether it is still that of the organisme
-- message   the id of the message on Discord, and contenu its text; null before it is posted
-- demandee  whether it is sent even if the text is the same: also when an edit without an answer may have changed it
-- annulee   whether the session was deleted
CREATE OR REPLACE FUNCTION public.annonces_etat(session bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    actuelle text := (SELECT o.discord_webhook FROM public.organisme AS o WHERE o.company_id = kernel.company());
    -- Null if the session was deleted. A session whose day is over looks for a trainer no longer.
    cherche boolean := (
        SELECT s.formateur_id IS NULL AND s.date >= public.heure_locale()::date FROM public.sessions AS s
        WHERE s.company_id = kernel.company() AND s.id = session);
    annonce public.annonces;
BEGIN
    SELECT * INTO annonce FROM public.annonces AS a
    WHERE a.company_id = kernel.company() AND a.session_id = session FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF annonce.message IS NULL AND (cherche IS NOT TRUE OR actuelle IS NULL) THEN
        -- It is not posted any more. Discord may have taken it although its answer was lost.
        IF annonce.webhook IS NOT NULL AND kernel.may_repeat() THEN
            PERFORM public.annonces_orpheline(session);
        END IF;
        IF cherche IS NULL THEN
            DELETE FROM public.annonces AS a WHERE a.company_id = kernel.company() AND a.session_id = session;
        ELSE
            UPDATE public.annonces AS a SET webhook = NULL
            WHERE a.company_id = kernel.company() AND a.session_id = session;
        END IF;
        RETURN NULL;
    END IF;
    UPDATE public.annonces AS a
    SET webhook = CASE WHEN a.message IS NULL THEN actuelle ELSE a.webhook END, annulee = cherche IS NULL
    WHERE a.company_id = kernel.company() AND a.session_id = session
    RETURNING * INTO annonce;
    RETURN jsonb_build_object(
        'adresse', annonce.webhook, 'actuelle', annonce.webhook IS NOT DISTINCT FROM actuelle,
        'message', annonce.message, 'contenu', annonce.contenu, 'demandee', annonce.demandee OR kernel.may_repeat(),
        'annulee', annonce.annulee);
END
$$;

SELECT kernel.worker_keep('crm', 'public.annonces_etat(bigint)');

SELECT kernel.note_file('crm', 'functions/annonces_etat.sql', '55895f8dccedc43a');
