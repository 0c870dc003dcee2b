-- 100,000 sessions over three years, 1,000 formateurs, 2,000 clients and 200 écoles. The rows are the same in every run.
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

INSERT INTO sessions (module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser,
                      ref_contrat, ecole_id, client_id, formateur_id)
SELECT (ARRAY['SwiftUI avancé', 'Postgres', 'Sécurité des API', 'Management d’équipe', 'Prise de parole', 'Excel'])[1 + n % 6]
           || ' ' || substr(md5(n::text), 1, 4),
       date '2024-01-01' + (n * 31 % 1096), time '08:00' + (n % 5) * interval '30 min', time '17:00',
       (ARRAY['P', 'D'])[1 + n % 2], (ARRAY['Paris', 'Lyon', 'Nantes'])[1 + n % 3], 800 + n % 700, 300 + n % 400, n % 90,
       'CT-' || n, (ARRAY(SELECT id FROM ecoles ORDER BY id))[1 + n % 200],
       (ARRAY(SELECT id FROM clients ORDER BY id))[1 + n * 13 % 2000],
       (ARRAY(SELECT id FROM formateurs ORDER BY id))[1 + n * 7 % 1000]
FROM generate_series(1, 100000) n;

VACUUM ANALYZE;
