SELECT t0.id AS c0, t11.k0 AS c1, t11.k1 AS c2
FROM (
SELECT * FROM (
WITH t3 AS MATERIALIZED (
SELECT left(t1.lieu, 200) AS k0, t1.id AS k1
FROM sessions t1
WHERE left(t1.lieu, 200) COLLATE francais = (SELECT left(t2.lieu, 200) FROM sessions t2 WHERE left(t2.lieu, 200) IS NOT NULL ORDER BY left(t2.lieu, 200) COLLATE francais DESC LIMIT 1)
ORDER BY t1.id
LIMIT 64
), t6 AS MATERIALIZED (
SELECT left(t4.lieu, 200) AS k0, t4.id AS k1
FROM sessions t4
WHERE left(t4.lieu, 200) COLLATE francais < (SELECT left(t5.lieu, 200) FROM sessions t5 WHERE left(t5.lieu, 200) IS NOT NULL ORDER BY left(t5.lieu, 200) COLLATE francais DESC LIMIT 1)
  AND (SELECT count(*) FROM t3) < 64
ORDER BY left(t4.lieu, 200) COLLATE francais DESC, t4.id
LIMIT 64
), t8 AS MATERIALIZED (
SELECT left(t7.lieu, 200) AS k0, t7.id AS k1
FROM sessions t7
WHERE left(t7.lieu, 200) IS NULL
  AND (SELECT count(*) FROM t3) + (SELECT count(*) FROM t6) < 64
ORDER BY left(t7.lieu, 200) COLLATE francais, t7.id
LIMIT 64
)
SELECT * FROM (SELECT * FROM t3 UNION ALL SELECT * FROM t6 UNION ALL SELECT * FROM t8) t9
ORDER BY k0 COLLATE francais DESC NULLS LAST, k1
LIMIT 64
) t10
LIMIT $1::bigint
) t11
JOIN sessions t0 ON t0.id = t11.k1
ORDER BY t11.k0 COLLATE francais DESC NULLS LAST, t11.k1;
-- $1: 51
