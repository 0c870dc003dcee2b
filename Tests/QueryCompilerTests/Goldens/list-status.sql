SELECT * FROM (
SELECT t0.id AS c0, t0.date AS c1, t0.debut AS c2
FROM sessions t0
WHERE t0.company_id = $3::bigint
  AND (statut(t0) = $1 AND statut_possible(t0, ARRAY[$1]))
ORDER BY t0.date DESC, t0.debut, t0.id
LIMIT 64
) t1
LIMIT $2::bigint;
-- $1: terminee
-- $2: 51
