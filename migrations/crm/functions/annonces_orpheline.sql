-- Notes that a message about the session stays on Discord, or may stay there, which LearnTrack can never edit: its id is not
-- known, or its webhook is gone. Each active administrator gets a mail, one for those that are noted within five minutes.
CREATE OR REPLACE FUNCTION public.annonces_orpheline(session bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM public.annonces_orphelines AS o
    WHERE o.company_id = kernel.company() AND o.notee_le < now() - interval '30 days';
    INSERT INTO public.annonces_orphelines (company_id, session_id, module, date)
    SELECT a.company_id, a.session_id, coalesce(s.module, a.module), coalesce(s.date, a.date)
    FROM public.annonces AS a LEFT JOIN public.sessions AS s ON s.company_id = a.company_id AND s.id = a.session_id
    WHERE a.company_id = kernel.company() AND a.session_id = session;
    PERFORM kernel.send('organisme.annonces_orphelines', admin.id, now() + interval '5 minutes')
    FROM (
        SELECT u.id FROM public.users AS u
        WHERE u.company_id = kernel.company() AND u.role = 'admin' AND u.is_member ORDER BY u.id) AS admin;
END
$$;

SELECT kernel.command_keep('crm', 'public.annonces_orpheline(bigint)', VARIADIC '{}');

SELECT kernel.note_file('crm', 'functions/annonces_orpheline.sql', '23c2b8ed70589e93');
