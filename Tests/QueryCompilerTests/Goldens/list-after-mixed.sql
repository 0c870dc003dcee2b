SELECT t0.id AS c0, t7.k0 AS c1, t7.k1 AS c2, t7.k2 AS c3
FROM (
SELECT * FROM (
WITH t2 AS MATERIALIZED (
SELECT t1.date AS k0, t1.debut AS k1, t1.id AS k2
FROM sessions t1
WHERE t1.company_id = $5::bigint
  AND t1.date = $1::date AND (t1.debut, t1.id) > ($2::time, $3::bigint)
ORDER BY t1.debut, t1.id
LIMIT 64
), t4 AS MATERIALIZED (
SELECT t3.date AS k0, t3.debut AS k1, t3.id AS k2
FROM sessions t3
WHERE t3.company_id = $5::bigint
  AND t3.date < $1::date
  AND (SELECT count(*) FROM t2) < 64
ORDER BY t3.date DESC, t3.debut, t3.id
LIMIT 64
)
SELECT * FROM (SELECT * FROM t2 UNION ALL SELECT * FROM t4) t5
ORDER BY k0 DESC, k1, k2
LIMIT 64
) t6
LIMIT $4::bigint
) t7
JOIN sessions t0 ON t0.id = t7.k2 AND t0.company_id = $5::bigint
ORDER BY t7.k0 DESC, t7.k1, t7.k2;
-- $1: 2026-01-12
-- $2: 09:00:00
-- $3: 7
-- $4: 51
