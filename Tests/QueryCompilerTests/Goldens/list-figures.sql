SELECT * FROM (
SELECT t0.raison_sociale AS c0, (SELECT count(*) FROM sessions r WHERE r.client_id = t0.id AND r.company_id = $3::bigint) AS c1, (SELECT count(*) FROM sessions r WHERE r.client_id = t0.id AND r.company_id = $3::bigint AND (r.lieu = 'L’O''rigan' OR r.lieu IS NULL) AND r.modalite = 'D') AS c2, (SELECT coalesce(sum(r.tarif), 0) FROM sessions r WHERE r.client_id = t0.id AND r.company_id = $3::bigint AND (r.client_id IN (1, 2)) IS NOT TRUE AND (r.formateur_id IS NULL) IS NOT TRUE)::numeric AS c3, (SELECT max(r.date) FROM sessions r WHERE r.client_id = t0.id AND r.company_id = $3::bigint) AS c4, t0.id AS c5
FROM clients t0
WHERE t0.company_id = $3::bigint
  AND (SELECT count(*) FROM sessions r WHERE r.client_id = t0.id AND r.company_id = $3::bigint) > $1::bigint
ORDER BY (SELECT coalesce(sum(r.tarif), 0) FROM sessions r WHERE r.client_id = t0.id AND r.company_id = $3::bigint AND (r.client_id IN (1, 2)) IS NOT TRUE AND (r.formateur_id IS NULL) IS NOT TRUE)::numeric DESC, t0.id
LIMIT 64
) t1
LIMIT $2::bigint;
-- $1: 3
-- $2: 51
