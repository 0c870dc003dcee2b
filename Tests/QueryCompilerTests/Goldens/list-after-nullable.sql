SELECT t0.id AS c0, t7.k0 AS c1, t7.k1 AS c2
FROM (
SELECT * FROM (
WITH t2 AS MATERIALIZED (
SELECT t1.tarif AS k0, t1.id AS k1
FROM sessions t1
WHERE (t1.tarif, t1.id) > ($1::numeric, $2::bigint)
ORDER BY t1.tarif, t1.id
LIMIT 64
), t4 AS MATERIALIZED (
SELECT t3.tarif AS k0, t3.id AS k1
FROM sessions t3
WHERE t3.tarif IS NULL
  AND (SELECT count(*) FROM t2) < 64
ORDER BY t3.tarif, t3.id
LIMIT 64
)
SELECT * FROM (SELECT * FROM t2 UNION ALL SELECT * FROM t4) t5
ORDER BY k0, k1
LIMIT 64
) t6
LIMIT $3::bigint
) t7
JOIN sessions t0 ON t0.id = t7.k1
ORDER BY t7.k0, t7.k1;
-- $1: 450
-- $2: 7
-- $3: 51
