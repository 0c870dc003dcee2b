SELECT * FROM (
SELECT t0.id AS c0, t0.date AS c1
FROM sessions t0
WHERE (t0.date, t0.id) < ($1::date, $2::bigint)
  AND t0.company_id = $4::bigint
ORDER BY t0.date DESC, t0.id DESC
LIMIT 64
) t1
LIMIT $3::bigint;
-- $1: 2026-01-12
-- $2: 7
-- $3: 51
