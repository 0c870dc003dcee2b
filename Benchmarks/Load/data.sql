-- 1,000 formateurs, 2,000 clients and 200 écoles. The rows are the same in every run.
SET synchronous_commit = off;

INSERT INTO formateurs (prenom, nom, email, telephone, specialite, taux_horaire, exterieur)
SELECT (ARRAY['Élodie', 'Marc', 'Zoé', 'Jean', 'Anaïs', 'Luc', 'Inès', 'Noël'])[1 + n % 8],
       (ARRAY['Dupré', 'Lefèvre', 'Martin', 'Garçon', 'Petit', 'Moreau', 'Noël'])[1 + n % 7] || ' ' || n,
       'formateur' || n || '@exemple.fr', '06' || lpad((n * 7919 % 100000000)::text, 8, '0'),
       (ARRAY['Swift', 'SQL', 'Sécurité', 'Management'])[1 + n % 4], 40 + n % 60, n % 2
FROM generate_series(1, 1000) n;

INSERT INTO clients (raison_sociale, rue, code_postal, ville, nom_contact, email)
SELECT (ARRAY['Société', 'Atelier', 'Groupe', 'Maison', 'Hôtel'])[1 + n % 5] || ' ' || substr(md5(n::text), 1, 6) || ' ' || n,
       n || ' rue de la Paix', lpad((n % 95000 + 1000)::text, 5, '0'),
       (ARRAY['Paris', 'Lyon', 'Nantes', 'Besançon', 'Orléans'])[1 + n % 5], 'Contact ' || n, 'client' || n || '@exemple.fr'
FROM generate_series(1, 2000) n;

INSERT INTO ecoles (nom, ville)
SELECT 'École ' || n, (ARRAY['Paris', 'Lille', 'Angers'])[1 + n % 3] FROM generate_series(1, 200) n;
