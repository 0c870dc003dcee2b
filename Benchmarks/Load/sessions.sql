-- Sessions :first to :last, over three years. The rows are the same in every run.
SET synchronous_commit = off;

INSERT INTO sessions (module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser,
                      ref_contrat, ecole_id, client_id, formateur_id)
SELECT (ARRAY['SwiftUI avancé', 'Postgres', 'Sécurité des API', 'Management d’équipe', 'Prise de parole', 'Excel'])[1 + n % 6]
           || ' ' || substr(md5(n::text), 1, 4),
       date '2024-01-01' + (n * 31 % 1096), time '08:00' + (n % 5) * interval '30 min', time '17:00',
       (ARRAY['P', 'D'])[1 + n % 2], (ARRAY['Paris', 'Lyon', 'Nantes'])[1 + n % 3], 800 + n % 700, 300 + n % 400, n % 90,
       'CT-' || n, (ARRAY(SELECT id FROM ecoles ORDER BY id))[1 + n % 200],
       (ARRAY(SELECT id FROM clients ORDER BY id))[1 + n * 13 % 2000],
       (ARRAY(SELECT id FROM formateurs ORDER BY id))[1 + n * 7 % 1000]
FROM generate_series(:first, :last) n;

VACUUM ANALYZE;
