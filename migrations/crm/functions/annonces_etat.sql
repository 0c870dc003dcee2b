-- A secret of the notice sessions.annonce: what it needs to know about the announcement of a session, with the address of the
-- webhook, as JSON; NULL if there is nothing to send.
--
-- adresse   the webhook. A message that was posted is edited by the webhook that has posted it. For one that is to be posted,
--           the address is kept here, before it is used: the organisme may have another one when the answer comes.
-- actuelle  whether it is still that of the organisme
-- message   the id of the message on Discord, and contenu its text; null before it is posted
-- demandee  whether it is sent even if the text is the same
-- annulee   whether the session was deleted
CREATE OR REPLACE FUNCTION public.annonces_etat(session bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    actuelle text := (SELECT o.discord_webhook FROM public.organisme AS o);
    annonce public.annonces;
BEGIN
    UPDATE public.annonces AS a
    SET webhook = CASE WHEN a.message IS NULL THEN actuelle ELSE a.webhook END,
        annulee = NOT EXISTS (SELECT FROM public.sessions AS s WHERE s.id = a.session_id)
    WHERE a.session_id = session
    RETURNING * INTO annonce;
    IF annonce.annulee AND annonce.message IS NULL THEN
        DELETE FROM public.annonces AS a WHERE a.session_id = session;
        RETURN NULL;
    END IF;
    IF annonce.webhook IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN jsonb_build_object(
        'adresse', annonce.webhook, 'actuelle', annonce.webhook IS NOT DISTINCT FROM actuelle,
        'message', annonce.message, 'contenu', annonce.contenu, 'demandee', annonce.demandee,
        'annulee', annonce.annulee);
END
$$;

SELECT kernel.worker_keep('crm', 'public.annonces_etat(bigint)');
