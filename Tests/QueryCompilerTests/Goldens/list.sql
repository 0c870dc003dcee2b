SELECT * FROM (
SELECT t0.id AS c0, t0.module AS c1, t0.date AS c2, t0.debut AS c3, t0.modalite AS c4, t0.lieu AS c5, t0.tarif AS c6, t0.formateur_id AS c7, t0.client_id AS c8, to_json(t0.created_at) AS c9, t0.version AS c10
FROM sessions t0
WHERE t0.company_id = $2::bigint
ORDER BY t0.date DESC, t0.debut, t0.id
LIMIT 64
) t1
LIMIT $1::bigint;
-- $1: 51
