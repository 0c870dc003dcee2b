-- The rows of companies :first to :last: :sessions sessions each over three years, :formateurs formateurs, :clients clients, :ecoles
-- écoles, and the entry of the journal that each row has. The rows are the same in every run.
--
-- Sessions of these companies are written in turn, as companies write that are used on the same days: the rows of one are far apart.
--
-- The triggers do not run, nor are foreign keys checked: the rows are as the triggers would make them, and building the indexes
-- afterwards takes a tenth of the time.
SET synchronous_commit = off;
SET maintenance_work_mem = '512MB';
SET max_parallel_maintenance_workers = 2;
SET session_replication_role = replica;
SET TimeZone = 'UTC';
BEGIN;

INSERT INTO kernel.companies (id, name) SELECT c, 'Société ' || c FROM generate_series(:first, :last) AS c
ON CONFLICT (id) DO NOTHING;
SELECT setval('kernel.companies_id_seq', greatest(:last, max(id))) FROM kernel.companies \g /dev/null

-- Ids are unique over all companies, as those of sequences are.
SELECT last_value AS formateur FROM formateurs_id_seq \gset
SELECT last_value AS client FROM clients_id_seq \gset
SELECT last_value AS ecole FROM ecoles_id_seq \gset
SELECT last_value AS session FROM sessions_id_seq \gset
SELECT last_value AS entry FROM journal_id_seq \gset
SELECT :last - :first + 1 AS companies \gset

CREATE TEMPORARY TABLE kept AS
    SELECT format('DROP INDEX %I.%I', n.nspname, c.relname) AS dropped,
        pg_get_indexdef(c.oid) || coalesce(
            format('; COMMENT ON INDEX %I.%I IS %L', n.nspname, c.relname, obj_description(c.oid, 'pg_class')), '') AS made
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE i.indrelid IN ('sessions'::regclass, 'journal'::regclass)
        AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid);
SELECT dropped FROM kept \gexec

INSERT INTO formateurs (company_id, id, prenom, nom, email, telephone, specialite, taux_horaire, exterieur)
SELECT c, :formateur + (c - :first) * :formateurs + n,
    (ARRAY['Élodie', 'Marc', 'Zoé', 'Jean', 'Anaïs', 'Luc', 'Inès', 'Noël'])[1 + n % 8],
    (ARRAY['Dupré', 'Lefèvre', 'Martin', 'Garçon', 'Petit', 'Moreau', 'Noël'])[1 + n % 7] || ' ' || n,
    'formateur' || n || '@exemple.fr', '06' || lpad((n * 7919 % 100000000)::text, 8, '0'),
    (ARRAY['Swift', 'SQL', 'Sécurité', 'Management'])[1 + n % 4], 40 + n % 60, n % 2
FROM generate_series(:first::bigint, :last) AS c, generate_series(1, :formateurs) AS n;

INSERT INTO clients (company_id, id, raison_sociale, rue, code_postal, ville, nom_contact, email)
SELECT c, :client + (c - :first) * :clients + n,
    (ARRAY['Société', 'Atelier', 'Groupe', 'Maison', 'Hôtel'])[1 + n % 5] || ' ' || substr(md5(c || ' ' || n), 1, 6) || ' ' || n,
    n || ' rue de la Paix', lpad((n % 95000 + 1000)::text, 5, '0'),
    (ARRAY['Paris', 'Lyon', 'Nantes', 'Besançon', 'Orléans'])[1 + n % 5], 'Contact ' || n, 'client' || n || '@exemple.fr'
FROM generate_series(:first::bigint, :last) AS c, generate_series(1, :clients) AS n;

INSERT INTO ecoles (company_id, id, nom, ville)
SELECT c, :ecole + (c - :first) * :ecoles + n, 'École ' || n, (ARRAY['Paris', 'Lille', 'Angers'])[1 + n % 3]
FROM generate_series(:first::bigint, :last) AS c, generate_series(1, :ecoles) AS n;

INSERT INTO sessions (
    company_id, id, module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser, ref_contrat,
    ecole_id, client_id, formateur_id, search_text)
SELECT s.company_id, s.id, s.module, date '2024-01-01' + (s.n * 31 % 1096)::integer, time '08:00' + (s.n % 5) * interval '30 min',
    time '17:00', (ARRAY['P', 'D'])[1 + s.n % 2], s.lieu, 800 + s.n % 700, 300 + s.n % 400, s.n % 90, s.ref_contrat,
    :ecole + (s.company_id - :first) * :ecoles + 1 + s.n % :ecoles, s.client_id, s.formateur_id,
    concat(
        kernel.search_part(s.module || ' ' || s.ref_contrat || ' ' || s.lieu), E'\n', f.name, E'\n', c.name)
FROM (
    SELECT n, c AS company_id, :session + (n - 1) * :companies + c - :first + 1 AS id,
        (ARRAY['SwiftUI avancé', 'Postgres', 'Sécurité des API', 'Management d’équipe', 'Prise de parole', 'Excel'])[1 + n % 6]
            || ' ' || substr(md5(c || '/' || n), 1, 4) AS module,
        (ARRAY['Paris', 'Lyon', 'Nantes'])[1 + n % 3] AS lieu, 'R-' || n AS ref_contrat,
        :client + (c - :first) * :clients + 1 + n * 13 % :clients AS client_id,
        :formateur + (c - :first) * :formateurs + 1 + n * 7 % :formateurs AS formateur_id
    FROM generate_series(1::bigint, :sessions) AS n, generate_series(:first::bigint, :last) AS c
) AS s
JOIN (SELECT f.company_id, f.id, nom_recherche(f) AS name FROM formateurs AS f OFFSET 0) AS f
    ON f.company_id = s.company_id AND f.id = s.formateur_id
JOIN (SELECT c.company_id, c.id, nom_recherche(c) AS name FROM clients AS c OFFSET 0) AS c
    ON c.company_id = s.company_id AND c.id = s.client_id
ORDER BY s.id;

INSERT INTO journal (company_id, id, at, table_name, row_id, operation, actor, after)
SELECT r.company_id, :entry + row_number() OVER (), now() - interval '1 day', r.name, r.id, 'create',
    jsonb_build_object('id', NULL, 'email', NULL, 'username', NULL, 'database_user', session_user),
    r.whole - '{search_text, company_id}'::text[]
FROM (
    SELECT company_id, id, 'formateurs' AS name, to_jsonb(f) AS whole FROM formateurs AS f WHERE id > :formateur
    UNION ALL SELECT company_id, id, 'clients', to_jsonb(c) FROM clients AS c WHERE id > :client
    UNION ALL SELECT company_id, id, 'ecoles', to_jsonb(e) FROM ecoles AS e WHERE id > :ecole
    UNION ALL SELECT company_id, id, 'sessions', to_jsonb(s) FROM sessions AS s WHERE id > :session
) AS r
WHERE r.company_id BETWEEN :first AND :last;

SELECT setval('formateurs_id_seq', max(id)), setval('journal_id_seq', (SELECT max(id) FROM journal)),
    setval('clients_id_seq', (SELECT max(id) FROM clients)), setval('ecoles_id_seq', (SELECT max(id) FROM ecoles)),
    setval('sessions_id_seq', (SELECT max(id) FROM sessions)) FROM formateurs \g /dev/null

SELECT made FROM kept \gexec
DROP TABLE kept;
COMMIT;
RESET session_replication_role;
VACUUM ANALYZE;
