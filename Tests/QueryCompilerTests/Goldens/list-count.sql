SELECT t12.*, t11.n
FROM (SELECT count(*) AS n FROM sessions t10
WHERE t10.modalite = $1) t11
LEFT JOIN (
SELECT t0.id AS c0, to_json(t9.k0) AS c1, t9.k1 AS c2
FROM (
SELECT * FROM (
WITH t3 AS MATERIALIZED (
SELECT t1.created_at AS k0, t1.id AS k1
FROM sessions t1
WHERE t1.modalite = $1
  AND t1.created_at = (SELECT t2.created_at FROM sessions t2 WHERE t2.created_at IS NOT NULL ORDER BY t2.created_at DESC LIMIT 1)
ORDER BY t1.id
LIMIT 64
), t6 AS MATERIALIZED (
SELECT t4.created_at AS k0, t4.id AS k1
FROM sessions t4
WHERE t4.modalite = $1
  AND t4.created_at < (SELECT t5.created_at FROM sessions t5 WHERE t5.created_at IS NOT NULL ORDER BY t5.created_at DESC LIMIT 1)
  AND (SELECT count(*) FROM t3) < 64
ORDER BY t4.created_at DESC, t4.id
LIMIT 64
)
SELECT * FROM (SELECT * FROM t3 UNION ALL SELECT * FROM t6) t7
ORDER BY k0 DESC, k1
LIMIT 64
) t8
LIMIT $2::bigint
) t9
JOIN sessions t0 ON t0.id = t9.k1
ORDER BY t9.k0 DESC, t9.k1
) t12 ON true
ORDER BY (t12.c1 #>> '{}')::timestamptz DESC, t12.c2;
-- $1: D
-- $2: 51
