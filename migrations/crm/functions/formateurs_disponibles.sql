-- The trainers without a session at an overlapping time that day, with the figures that rank them. `sauf_session`, the
-- session that is being planned, is left out of the figures. The week begins on Monday.
CREATE OR REPLACE FUNCTION public.formateurs_disponibles(
    date date, debut time, fin time, sauf_session bigint DEFAULT NULL, code_postal text DEFAULT NULL,
    module text DEFAULT NULL
)
    RETURNS TABLE (
        id bigint, formateur_id bigint, sessions_du_jour bigint, sessions_de_la_semaine bigint, derniere_session date,
        meme_departement boolean, a_deja_enseigne boolean
    )
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        f.id,
        f.id,
        semaine.du_jour,
        semaine.nombre,
        (
            SELECT max(s.date) FROM public.sessions AS s
            WHERE s.company_id = kernel.company() AND s.formateur_id = f.id AND s.date <= formateurs_disponibles.date
                AND s.id IS DISTINCT FROM formateurs_disponibles.sauf_session
        ),
        coalesce(public.departement(f.code_postal) = public.departement(formateurs_disponibles.code_postal), false),
        EXISTS (
            SELECT FROM public.sessions AS s
            -- The searchable text begins with the module. Comparing it first leaves few modules to be read without accents.
            WHERE s.company_id = kernel.company() AND s.formateur_id = f.id
                AND starts_with(s.search_text, kernel.search_part(formateurs_disponibles.module))
                AND kernel.search_part(s.module) = kernel.search_part(formateurs_disponibles.module)
                AND s.id IS DISTINCT FROM formateurs_disponibles.sauf_session
        )
    FROM public.formateurs AS f
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE s.date = formateurs_disponibles.date) AS du_jour, count(*) AS nombre
        FROM public.sessions AS s
        WHERE s.company_id = kernel.company() AND s.formateur_id = f.id
            AND s.id IS DISTINCT FROM formateurs_disponibles.sauf_session
            AND s.date >= date_trunc('week', formateurs_disponibles.date::timestamp)::date
            AND s.date < date_trunc('week', formateurs_disponibles.date::timestamp)::date + 7
    ) AS semaine
    WHERE f.company_id = kernel.company() AND NOT EXISTS (
        SELECT FROM public.sessions AS s
        WHERE s.company_id = kernel.company() AND s.formateur_id = f.id AND s.date = formateurs_disponibles.date
            AND s.debut < formateurs_disponibles.fin AND s.fin > formateurs_disponibles.debut
            AND s.id IS DISTINCT FROM formateurs_disponibles.sauf_session
    );
END;

REVOKE EXECUTE ON FUNCTION public.formateurs_disponibles(date, time, time, bigint, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.formateurs_disponibles(date, time, time, bigint, text, text)
    TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('crm', 'functions/formateurs_disponibles.sql', '8dbbec86f982dc1d');
