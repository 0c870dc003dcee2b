SELECT t0.id AS c0, t11.k0 AS c1, t11.k1 AS c2, t11.k2 AS c3
FROM (
SELECT * FROM (
WITH t4 AS MATERIALIZED (
SELECT t1.date AS k0, t2.d AS k1, t1.id AS k2
FROM sessions t1
LEFT JOIN LATERAL (SELECT nombre_sessions(t3) AS d FROM formateurs t3 WHERE t3.id = t1.formateur_id AND t3.company_id = $4::bigint OFFSET 0) t2 ON true
WHERE t1.company_id = $4::bigint
  AND t1.date = $1::date AND t1.formateur_id IS NULL AND t1.id > $2::bigint
ORDER BY t1.formateur_id, t1.id
LIMIT 64
), t8 AS MATERIALIZED (
SELECT t5.date AS k0, t6.d AS k1, t5.id AS k2
FROM sessions t5
LEFT JOIN LATERAL (SELECT nombre_sessions(t7) AS d FROM formateurs t7 WHERE t7.id = t5.formateur_id AND t7.company_id = $4::bigint OFFSET 0) t6 ON true
WHERE t5.company_id = $4::bigint
  AND t5.date < $1::date
  AND (SELECT count(*) FROM t4) < 64
ORDER BY t5.date DESC, t6.d, t5.id
LIMIT 64
)
SELECT * FROM (SELECT * FROM t4 UNION ALL SELECT * FROM t8) t9
ORDER BY k0 DESC, k1, k2
LIMIT 64
) t10
LIMIT $3::bigint
) t11
JOIN sessions t0 ON t0.id = t11.k2 AND t0.company_id = $4::bigint
ORDER BY t11.k0 DESC, t11.k1, t11.k2;
-- $1: 2026-01-12
-- $2: 7
-- $3: 51
