-- The pairs of clients, trainers or schools that look alike: the same SIRET, e-mail address or telephone number, or names
-- that are the same or alike by their trigrams. A pair is there once, with the first of these reasons that holds.
--
-- Names that differ in a number are not alike: `Lycée 12` is not `Lycée 13`. Of two names of which 0.6 of all trigrams are
-- common, one of the n − ⌈0.6 n⌉ + 1 rarest trigrams of each is common; so most names are never compared. For those that are,
-- a signature of 128 bits bounds how many trigrams differ: at most a quarter of all.
--
-- A value that more than 20 records share pairs each of them with the first one only, and a trigram that more than 400 names
-- have among their rarest pairs none. Otherwise the time would grow with the square of their number.
--
-- The id is a hash of the two ids, as in conflits. The function is in plpgsql, because it uses functions that may be created
-- after it. The settings are for the joins of
-- intermediate results, which Postgres has no statistics of.
CREATE OR REPLACE FUNCTION public.doublons("table" text)
    RETURNS TABLE (
        id bigint, fiche_id bigint, autre_id bigint, raison text, score numeric, client_id bigint, autre_client_id bigint,
        formateur_id bigint, autre_formateur_id bigint, ecole_id bigint, autre_ecole_id bigint
    )
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET enable_nestloop = off SET jit = off SET work_mem = '32MB'
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH fiches AS MATERIALIZED (
        SELECT
            f.id, f.siret, f.email, f.telephone, public.nom_compare(f.nom) AS nom
        FROM (
            SELECT c.id, c.raison_sociale AS nom, c.siret, c.email, c.telephone FROM public.clients AS c
            WHERE doublons."table" = 'clients' AND c.company_id = kernel.company()
            UNION ALL
            SELECT t.id, t.prenom || ' ' || t.nom, t.siret, t.email, t.telephone FROM public.formateurs AS t
            WHERE doublons."table" = 'formateurs' AND t.company_id = kernel.company()
            UNION ALL
            SELECT e.id, e.nom, NULL, e.email, e.telephone FROM public.ecoles AS e
            WHERE doublons."table" = 'ecoles' AND e.company_id = kernel.company()
        ) AS f
    ),
    valeurs AS MATERIALIZED (
        SELECT
            f.id, v.rang, v.valeur,
            count(*) OVER (PARTITION BY v.rang, v.valeur) AS nombre,
            min(f.id) OVER (PARTITION BY v.rang, v.valeur) AS premiere
        FROM fiches AS f
        CROSS JOIN LATERAL (
            VALUES
                (1, regexp_replace(f.siret, '[^0-9]', '', 'g')), (2, lower(f.email)),
                (3, public.lien_telephone(f.telephone)), (4, f.nom)
        ) AS v (rang, valeur)
        WHERE v.valeur <> ''
    ),
    noms AS MATERIALIZED (
        SELECT
            n.rang, n.nom, n.chiffres, n.fiches, n.trigrammes, cardinality(n.trigrammes) AS nombre,
            (
                SELECT bit_or(set_bit(repeat('0', 128)::bit(128), hashtext(u.trigramme) & 127, 1))
                FROM unnest(n.trigrammes) AS u (trigramme)
            ) AS signature
        FROM (
            SELECT
                row_number() OVER ()::integer AS rang,
                v.valeur AS nom,
                CASE WHEN v.valeur ~ '[0-9]'
                    THEN ARRAY(SELECT m.mot FROM regexp_split_to_table(v.valeur, ' ') AS m (mot) WHERE m.mot ~ '[0-9]')
                    ELSE '{}'
                END AS chiffres,
                public.trigrammes(v.valeur) AS trigrammes,
                array_agg(v.id) FILTER (WHERE v.nombre <= 20 OR v.id = v.premiere) AS fiches
            FROM valeurs AS v
            WHERE v.rang = 4
            GROUP BY v.valeur
        ) AS n
    ),
    trigrammes AS (
        SELECT
            n.rang, n.nombre, n.signature,
            dense_rank() OVER (ORDER BY n.chiffres, u.trigramme COLLATE "C")::integer AS cle,
            count(*) OVER (PARTITION BY n.chiffres, u.trigramme COLLATE "C")::integer AS frequence
        FROM noms AS n CROSS JOIN LATERAL unnest(n.trigrammes) AS u (trigramme)
    ),
    rares AS MATERIALIZED (
        SELECT r.cle, r.rang, r.nombre, r.signature, count(*) OVER (PARTITION BY r.cle) AS partages
        FROM (
            SELECT t.*, row_number() OVER (PARTITION BY t.rang ORDER BY t.frequence, t.cle) AS place
            FROM trigrammes AS t
        ) AS r
        WHERE r.place <= r.nombre - ceil(0.6 * r.nombre) + 1
    ),
    proches AS MATERIALIZED (
        SELECT DISTINCT a.rang, b.rang AS autre
        FROM rares AS a
        JOIN rares AS b
            ON b.cle = a.cle AND b.rang > a.rang
            AND 4 * bit_count(a.signature # b.signature) <= a.nombre + b.nombre
        WHERE a.partages BETWEEN 2 AND 400 AND b.partages BETWEEN 2 AND 400
    ),
    paires AS (
        -- The same value.
        SELECT a.id, b.id AS autre, a.rang
        FROM valeurs AS a
        JOIN valeurs AS b ON b.rang = a.rang AND b.valeur = a.valeur AND b.id > a.id
        WHERE a.nombre <= 20 OR a.id = a.premiere
        UNION ALL
        -- Names that are alike.
        SELECT least(f.id, g.id), greatest(f.id, g.id), 4
        FROM proches AS p
        JOIN noms AS a ON a.rang = p.rang
        JOIN noms AS b ON b.rang = p.autre
        CROSS JOIN LATERAL unnest(a.fiches) AS f (id)
        CROSS JOIN LATERAL unnest(b.fiches) AS g (id)
        WHERE public.ressemblance(a.nom, b.nom) >= 0.6
    ),
    notees AS (
        SELECT p.id, p.autre, min(p.rang) AS rang FROM paires AS p GROUP BY p.id, p.autre
    )
    SELECT
        ('x' || left(encode(sha256(int8send(n.id) || int8send(n.autre)), 'hex'), 14))::bit(56)::bigint
            % 9007199254740991 + 1,
        n.id,
        n.autre,
        (ARRAY['siret', 'email', 'telephone', 'nom'])[n.rang],
        -- The likeness of the names; with the same SIRET 1, with the same address or number halfway from there to 1.
        round(CASE n.rang
            WHEN 1 THEN 1
            WHEN 4 THEN public.ressemblance(a.nom, b.nom)
            ELSE (1 + public.ressemblance(a.nom, b.nom)) / 2
        END::numeric, 3),
        CASE doublons."table" WHEN 'clients' THEN n.id END,
        CASE doublons."table" WHEN 'clients' THEN n.autre END,
        CASE doublons."table" WHEN 'formateurs' THEN n.id END,
        CASE doublons."table" WHEN 'formateurs' THEN n.autre END,
        CASE doublons."table" WHEN 'ecoles' THEN n.id END,
        CASE doublons."table" WHEN 'ecoles' THEN n.autre END
    FROM notees AS n
    JOIN fiches AS a ON a.id = n.id
    JOIN fiches AS b ON b.id = n.autre;
END
$$;

REVOKE EXECUTE ON FUNCTION public.doublons(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.doublons(text) TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('crm', 'functions/doublons.sql', '1c74958987736c70');
