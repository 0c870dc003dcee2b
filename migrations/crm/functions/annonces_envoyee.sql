-- The announcement of a session was posted or edited, or its message is gone (404 or 401): then it is forgotten, or posted again
-- if an account has asked for it, or if the webhook that has posted it is gone, too, and the organisme has another one. In the
-- last case the message stays on Discord, and administrators learn that.
CREATE OR REPLACE FUNCTION public.annonces_envoyee(session bigint, answers jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- Of Discord's errors: the message was deleted.
    message_inconnu constant text := '10008';
    est_la boolean := (answers #>> '{0,status}')::integer < 300;
    est_supprime boolean := NOT est_la AND answers #>> '{0,body,code}' IS NOT DISTINCT FROM message_inconnu;
    annonce public.annonces;
BEGIN
    SELECT * INTO annonce FROM public.annonces AS a
    WHERE a.company_id = kernel.company() AND a.session_id = session FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF NOT est_la AND NOT est_supprime THEN
        PERFORM public.annonces_orpheline(session);
    END IF;
    IF annonce.annulee OR est_supprime AND NOT annonce.demandee THEN
        DELETE FROM public.annonces AS a WHERE a.company_id = kernel.company() AND a.session_id = session;
    ELSIF est_la THEN
        UPDATE public.annonces AS a
        SET message = coalesce(a.message, substring(answers #>> '{0,body,id}' FROM '^[0-9]{1,20}$')),
            contenu = answers #>> '{0,sent,content}', demandee = false, abandonnee = false
        WHERE a.company_id = kernel.company() AND a.session_id = session
        RETURNING * INTO annonce;
        -- An answer without an id: further edits cannot reach the message.
        IF annonce.message IS NULL THEN
            PERFORM public.annonces_orpheline(session);
        END IF;
    ELSE
        UPDATE public.annonces AS a SET message = NULL, webhook = NULL, contenu = NULL, demandee = false
        WHERE a.company_id = kernel.company() AND a.session_id = session;
        PERFORM kernel.send('sessions.annonce', session);
    END IF;
END
$$;

SELECT kernel.worker_keep('crm', 'public.annonces_envoyee(bigint, jsonb)');

SELECT kernel.note_file('crm', 'functions/annonces_envoyee.sql', '09bb9be992e718bf');
