-- A secret of the notice prospects.relances: who gets the mail of this morning, as JSON; NULL if it has left, for an account that
-- is not active any more, and on another day. `sans_suivi` is what is due of accounts that are not active any more, for an
-- administrator. A mail that could not leave on its day is dropped: the next one has the same in it.
CREATE OR REPLACE FUNCTION public.relances_pour(compte bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object(
        'email', u.email, 'nom', u.username, 'jour', c.jour,
        'nombre', (SELECT count(*) FROM public.relances_du_jour(c.jour) AS d WHERE d.responsable_id = compte),
        'sans_suivi', CASE WHEN u.role = 'admin' THEN (
            SELECT jsonb_agg(
                jsonb_build_object(
                    'retard', d.retard, 'canal', d.canal, 'note', d.note, 'responsable', coalesce(r.username, r.email),
                    'prospect', jsonb_build_object(
                        'raison_sociale', p.raison_sociale, 'nom_contact', p.nom_contact, 'telephone', p.telephone,
                        'email', p.email, 'ville', p.ville))
                ORDER BY d.date, d.id)
            FROM public.relances_du_jour(c.jour) AS d
            JOIN public.users AS r ON r.company_id = kernel.company() AND r.id = d.responsable_id AND NOT r.is_active
            JOIN public.prospects AS p ON p.company_id = kernel.company() AND p.id = d.prospect_id)
        END)
    FROM public.users AS u
    JOIN public.relances_courriels AS c ON c.company_id = kernel.company() AND c.responsable_id = u.id
    WHERE u.company_id = kernel.company() AND u.id = compte AND u.is_member AND c.jour = public.heure_locale()::date AND NOT c.est_parti
$$;

SELECT kernel.worker_keep('crm', 'public.relances_pour(bigint)');

SELECT kernel.note_file('crm', 'functions/relances_pour.sql', '7789454c42193670');
