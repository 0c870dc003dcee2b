-- An announcement has not left within a day, or will not leave: each active administrator gets a mail, at most one a day. One that
-- will not leave is sent again when discord_webhook is written.
CREATE OR REPLACE FUNCTION public.annonces_bloquee(session bigint, failure jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    compte bigint;
    annonce public.annonces;
BEGIN
    IF (failure ->> 'gave_up')::boolean THEN
        UPDATE public.annonces AS a SET abandonnee = true
        WHERE a.company_id = kernel.company() AND a.session_id = session RETURNING * INTO annonce;
        -- Discord may have taken a message whose id will never be known.
        IF annonce.message IS NULL AND annonce.webhook IS NOT NULL AND (failure ->> 'may_have_left')::boolean THEN
            PERFORM public.annonces_orpheline(session);
            UPDATE public.annonces AS a SET webhook = NULL
            WHERE a.company_id = kernel.company() AND a.session_id = session;
        END IF;
    END IF;
    FOR compte IN
        SELECT u.id FROM public.users AS u
        WHERE u.company_id = kernel.company() AND u.role = 'admin' AND u.is_member ORDER BY u.id
    LOOP
        INSERT INTO public.annonces_alertes AS a (compte_id) VALUES (compte)
        ON CONFLICT (company_id, compte_id) DO UPDATE SET envoyee_le = now() WHERE a.envoyee_le <= now() - interval '1 day';
        IF FOUND THEN
            PERFORM kernel.send('organisme.annonces_bloquees', compte);
        END IF;
    END LOOP;
END
$$;

SELECT kernel.worker_keep('crm', 'public.annonces_bloquee(bigint, jsonb)');

SELECT kernel.note_file('crm', 'functions/annonces_bloquee.sql', '64c62d20e69c510e');
