-- The mail of the morning has left.
CREATE OR REPLACE FUNCTION public.relances_courriel_parti(compte bigint, answers jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE public.relances_courriels AS c SET est_parti = true
    WHERE c.company_id = kernel.company() AND c.responsable_id = compte
$$;

SELECT kernel.worker_keep('crm', 'public.relances_courriel_parti(bigint, jsonb)');

SELECT kernel.note_file('crm', 'functions/relances_courriel_parti.sql', '31153f43bf07ad02');
