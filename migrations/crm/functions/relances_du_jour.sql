-- The reminders of a day that are not done, and those before it. Prospects that are won or lost have none. Today is that of
-- the place that the setting `learntrack.time_zone` names.
CREATE OR REPLACE FUNCTION public.relances_du_jour(jour date DEFAULT public.heure_locale()::date)
    RETURNS TABLE (
        id bigint, prospect_id bigint, relance_id bigint, responsable_id bigint, date date, retard integer, canal text,
        note text
    )
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        r.id, p.id, r.id, p.responsable_id, r.date, relances_du_jour.jour - r.date, r.canal::text, r.note
    FROM public.relances AS r
    JOIN public.prospects AS p ON p.company_id = kernel.company() AND p.id = r.prospect_id
    WHERE r.company_id = kernel.company() AND r.date <= relances_du_jour.jour AND NOT r.faite
        AND p.etape NOT IN ('gagne', 'perdu');
END;

REVOKE EXECUTE ON FUNCTION public.relances_du_jour(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.relances_du_jour(date)
    TO learntrack_user, learntrack_admin, learntrack_crm_commands;

-- The active accounts that have something due on a day: to each goes one mail. What is due of an account that is not active any
-- more is for the administrators.
CREATE OR REPLACE FUNCTION public.responsables_a_relancer(jour date DEFAULT public.heure_locale()::date)
    RETURNS TABLE (responsable_id bigint, email text, relances bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT u.id, u.email::text, count(*)
    FROM public.relances_du_jour(responsables_a_relancer.jour) AS d
    JOIN public.users AS r ON r.company_id = kernel.company() AND r.id = d.responsable_id
    JOIN public.users AS u
        ON u.company_id = kernel.company() AND (u.id = r.id OR NOT r.is_active AND u.role = 'admin')
    WHERE u.is_member
    GROUP BY u.id, u.email
    ORDER BY u.id;
END;

REVOKE EXECUTE ON FUNCTION public.responsables_a_relancer(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.responsables_a_relancer(date) TO learntrack_crm_commands;

SELECT kernel.note_file('crm', 'functions/relances_du_jour.sql', 'c8f54c97094d5866');
