-- A secret of the notice organisme.annonces_bloquees: the address of an administrator; NULL for an account that is none any more.
CREATE OR REPLACE FUNCTION public.annonces_alerte(compte bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT u.email::text FROM public.users AS u
    WHERE u.company_id = kernel.company() AND u.id = compte AND u.is_member AND u.role = 'admin'
$$;

SELECT kernel.worker_keep('crm', 'public.annonces_alerte(bigint)');

SELECT kernel.note_file('crm', 'functions/annonces_alerte.sql', '65c58c036d03276b');
