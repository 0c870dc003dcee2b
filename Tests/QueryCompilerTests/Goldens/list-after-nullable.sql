SELECT * FROM (
SELECT t0.id AS c0, t0.tarif AS c1
FROM sessions t0
WHERE (((t0.tarif, t0.id) > ($1::numeric, $2::bigint)) OR (t0.tarif IS NULL))
  AND t0.company_id = $4::bigint
ORDER BY t0.tarif, t0.id
LIMIT 64
) t1
LIMIT $3::bigint;
-- $1: 450
-- $2: 7
-- $3: 51
