-- The figures of the days from `du` to `au`. A figure counts missing prices and costs as none. The margin is the sum of
-- `marge`, as aggregates have it: a session without a price has none, so its costs are in `cout` and not in the margin.
--
-- `indicateurs` calls it twice.
CREATE OR REPLACE FUNCTION public.indicateurs_de(du date, au date)
    RETURNS TABLE (
        nombre_sessions bigint, heures numeric, ca numeric, cout numeric, marge numeric, taux_marge numeric,
        sans_formateur bigint, sans_client bigint, a_distance bigint, clients_actifs bigint, formateurs_actifs bigint
    )
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        s.nombre,
        round(extract(epoch FROM s.duree) / 3600, 2),
        s.ca,
        s.cout,
        s.marge,
        round(100 * s.marge / nullif(s.ca, 0), 2),
        -- In an index of its own, like the trainers below.
        (
            SELECT count(*) FROM public.sessions AS t
            WHERE t.company_id = kernel.company() AND t.formateur_id IS NULL
                AND t.date BETWEEN indicateurs_de.du AND indicateurs_de.au
        ),
        s.nombre - s.avec_client,
        s.a_distance,
        -- Of few sessions the clients are collected. Of many it is quicker to look for one session of each client. Not
        -- count(DISTINCT …), which sorts the sessions. A scalar subquery, unlike EXISTS, stops at the first session found,
        -- also in a plan that is made without knowing the period.
        CASE WHEN s.nombre < 50000
            THEN (
                SELECT count(*) FROM (
                    SELECT FROM public.sessions AS t
                    WHERE t.company_id = kernel.company() AND t.date BETWEEN indicateurs_de.du AND indicateurs_de.au
                        AND t.client_id IS NOT NULL
                    GROUP BY t.client_id
                ) AS vus
            )
            ELSE (
                SELECT count(*) FROM public.clients AS c
                WHERE c.company_id = kernel.company() AND (
                    SELECT true FROM public.sessions AS t
                    WHERE t.company_id = c.company_id AND t.client_id = c.id
                        AND t.date BETWEEN indicateurs_de.du AND indicateurs_de.au
                    LIMIT 1
                )
            )
        END,
        (
            SELECT count(*) FROM public.formateurs AS f
            WHERE f.company_id = kernel.company() AND (
                SELECT true FROM public.sessions AS t
                WHERE t.company_id = f.company_id AND t.formateur_id = f.id
                    AND t.date BETWEEN indicateurs_de.du AND indicateurs_de.au
                LIMIT 1
            )
        )
    FROM (
        SELECT
            count(*) AS nombre,
            coalesce(sum(t.fin - t.debut), interval '0') AS duree,
            coalesce(sum(t.tarif_client), 0) AS ca,
            coalesce(sum(t.tarif_sous_traitant), 0) + coalesce(sum(t.frais_rembourser), 0) AS cout,
            coalesce(
                sum(t.tarif_client - coalesce(t.tarif_sous_traitant, 0) - coalesce(t.frais_rembourser, 0)), 0
            ) AS marge,
            count(t.client_id) AS avec_client,
            count(*) FILTER (WHERE t.modalite = 'D') AS a_distance
        FROM public.sessions AS t
        WHERE t.company_id = kernel.company() AND t.date BETWEEN indicateurs_de.du AND indicateurs_de.au
    ) AS s;
END;

-- The same beside those of as many days before. No session is before the year 1.
CREATE OR REPLACE FUNCTION public.indicateurs(du date, au date)
    RETURNS TABLE (
        id bigint,
        nombre_sessions bigint, heures numeric, ca numeric, cout numeric, marge numeric, taux_marge numeric,
        sans_formateur bigint, sans_client bigint, a_distance bigint, clients_actifs bigint, formateurs_actifs bigint,
        precedent_nombre_sessions bigint, precedent_heures numeric, precedent_ca numeric, precedent_cout numeric,
        precedent_marge numeric, precedent_taux_marge numeric, precedent_sans_formateur bigint,
        precedent_sans_client bigint, precedent_a_distance bigint, precedent_clients_actifs bigint,
        precedent_formateurs_actifs bigint
    )
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT 1::bigint, p.*, q.*
    FROM public.indicateurs_de(indicateurs.du, indicateurs.au) AS p
    CROSS JOIN public.indicateurs_de(
        indicateurs.du - least(indicateurs.au - indicateurs.du + 1, indicateurs.du - date '0001-01-01'),
        indicateurs.du - 1
    ) AS q;
END;

REVOKE EXECUTE ON FUNCTION public.indicateurs_de(date, date), public.indicateurs(date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.indicateurs_de(date, date), public.indicateurs(date, date)
    TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('crm', 'functions/indicateurs.sql', '0912e1457aa7fa9c');
