-- A secret of the notice organisme.annonces_orphelines: the messages that may stay on Discord, of the last seven days, the newest
-- first, as JSON; NULL if there are none.
CREATE OR REPLACE FUNCTION public.annonces_orphelines(compte bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_agg(
        jsonb_build_object('session', o.session_id, 'module', o.module, 'date', o.date) ORDER BY o.notee_le DESC, o.id DESC)
    FROM (
        SELECT * FROM public.annonces_orphelines
        WHERE company_id = kernel.company() AND notee_le > now() - interval '7 days'
        ORDER BY notee_le DESC, id DESC LIMIT 50) AS o
$$;

SELECT kernel.worker_keep('crm', 'public.annonces_orphelines(bigint)');

SELECT kernel.note_file('crm', 'functions/annonces_orphelines.sql', 'ef2a12e28a7bbbb2');
