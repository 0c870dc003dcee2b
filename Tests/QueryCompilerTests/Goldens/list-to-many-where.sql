SELECT * FROM (
SELECT t0.nom AS c0, (t0.is_active)::text AS c1, t0.prenom AS c2, t0.id AS c3
FROM formateurs t0
WHERE t0.company_id = $4::bigint
  AND (EXISTS (SELECT 1 FROM sessions t1 WHERE t1.formateur_id = t0.id AND t1.company_id = $4::bigint AND (t1.date = $1::date AND EXISTS (SELECT 1 FROM clients t2 WHERE t2.id = t1.client_id AND t2.company_id = $4::bigint AND t2.ville COLLATE "C" = $2::text))) AND NOT (EXISTS (SELECT 1 FROM sessions t3 WHERE t3.formateur_id = t0.id AND t3.company_id = $4::bigint AND t3.tarif IS NULL)))
ORDER BY t0.nom COLLATE francais, t0.prenom COLLATE francais, t0.id
LIMIT 64
) t4
LIMIT $3::bigint;
-- $1: 2026-01-01
-- $2: Lyon
-- $3: 51
