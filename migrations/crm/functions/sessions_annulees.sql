-- The sessions that were deleted during the last 90 days, as they were then: calendars show them as cancelled. A session that
-- was inserted again is none of them. A trainer, a client or a school that another one has absorbed since is that one.
CREATE OR REPLACE FUNCTION public.sessions_annulees()
    RETURNS TABLE (
        id bigint, session_id bigint, module text, date date, debut time, fin time, modalite text, lieu text,
        formateur_id bigint, client_id bigint, ecole_id bigint, version integer, created_at timestamptz,
        annulee_le timestamptz)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        j.id, j.row_id, j.before ->> 'module', (j.before ->> 'date')::date, (j.before ->> 'debut')::time,
        (j.before ->> 'fin')::time, j.before ->> 'modalite', j.before ->> 'lieu',
        coalesce(f.fusionne_dans, (j.before ->> 'formateur_id')::bigint),
        coalesce(c.fusionne_dans, (j.before ->> 'client_id')::bigint),
        coalesce(e.fusionne_dans, (j.before ->> 'ecole_id')::bigint),
        (j.before ->> 'version')::integer, (j.before ->> 'created_at')::timestamptz, j.at
    FROM public.journal AS j
    LEFT JOIN public.formateurs_fusionnes AS f
        ON f.company_id = kernel.company() AND f.id = (j.before ->> 'formateur_id')::bigint
    LEFT JOIN public.clients_fusionnes AS c
        ON c.company_id = kernel.company() AND c.id = (j.before ->> 'client_id')::bigint
    LEFT JOIN public.ecoles_fusionnes AS e
        ON e.company_id = kernel.company() AND e.id = (j.before ->> 'ecole_id')::bigint
    WHERE j.company_id = kernel.company() AND j.table_name = 'sessions' AND j.operation = 'delete'
        AND j.at > now() - interval '90 days'
        AND NOT EXISTS (SELECT FROM public.sessions AS s WHERE s.company_id = kernel.company() AND s.id = j.row_id);
END;

REVOKE EXECUTE ON FUNCTION public.sessions_annulees() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.sessions_annulees() TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('crm', 'functions/sessions_annulees.sql', 'e03c2520203085d6');
