SELECT * FROM (
SELECT t0.id AS c0, t0.date AS c1, t0.debut AS c2
FROM sessions t0
WHERE t0.company_id = $2::bigint
  AND (true AND false AND false)
ORDER BY t0.date DESC, t0.debut, t0.id
LIMIT 64
) t1
LIMIT $1::bigint;
-- $1: 51
