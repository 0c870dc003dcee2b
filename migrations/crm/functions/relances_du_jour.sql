-- What is due on a day, or was due before it: the reminders that are not done, and the prospects with a date for the next
-- one but without a reminder that is due. Prospects that are won or lost have none. Today is that of the place that the
-- setting `learntrack.time_zone` names.
--
-- The id is even for a reminder, odd for a prospect.
CREATE OR REPLACE FUNCTION public.relances_du_jour(jour date DEFAULT public.heure_locale()::date)
    RETURNS TABLE (
        id bigint, prospect_id bigint, relance_id bigint, responsable_id bigint, date date, retard integer, canal text,
        note text
    )
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        2 * r.id, p.id, r.id, p.responsable_id, r.date, relances_du_jour.jour - r.date, r.canal::text, r.note
    FROM public.relances AS r
    JOIN public.prospects AS p ON p.id = r.prospect_id
    WHERE r.date <= relances_du_jour.jour AND NOT r.faite AND p.etape NOT IN ('gagne', 'perdu')
    UNION ALL
    SELECT
        2 * p.id + 1, p.id, NULL, p.responsable_id, p.prochaine_relance, relances_du_jour.jour - p.prochaine_relance,
        NULL, NULL
    FROM public.prospects AS p
    WHERE p.prochaine_relance <= relances_du_jour.jour AND p.etape NOT IN ('gagne', 'perdu')
        AND NOT EXISTS (
            SELECT FROM public.relances AS r
            WHERE r.prospect_id = p.id AND r.date <= relances_du_jour.jour AND NOT r.faite
        );
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
    JOIN public.users AS r ON r.id = d.responsable_id
    JOIN public.users AS u ON u.id = r.id OR NOT r.is_active AND u.role = 'admin'
    WHERE u.is_active
    GROUP BY u.id, u.email
    ORDER BY u.id;
END;

REVOKE EXECUTE ON FUNCTION public.responsables_a_relancer(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.responsables_a_relancer(date) TO learntrack_crm_commands;
