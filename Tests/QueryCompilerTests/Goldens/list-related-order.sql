SELECT t0.id AS c0, t9.k0 AS c1, t9.k1 AS c2
FROM (
SELECT * FROM (
WITH t3 AS MATERIALIZED (
SELECT t2.nom AS k0, t1.id AS k1
FROM sessions t1
LEFT JOIN formateurs t2 ON t2.id = t1.formateur_id AND t2.company_id = $2::bigint
WHERE t1.company_id = $2::bigint
  AND t2.nom IS NOT NULL
ORDER BY t2.nom COLLATE francais DESC, t1.id
LIMIT 64
), t6 AS MATERIALIZED (
SELECT t5.nom AS k0, t4.id AS k1
FROM sessions t4
LEFT JOIN formateurs t5 ON t5.id = t4.formateur_id AND t5.company_id = $2::bigint
WHERE t4.company_id = $2::bigint
  AND t4.formateur_id IS NULL
  AND (SELECT count(*) FROM t3) < 64
ORDER BY t4.formateur_id, t4.id
LIMIT 64
)
SELECT * FROM (SELECT * FROM t3 UNION ALL SELECT * FROM t6) t7
ORDER BY k0 COLLATE francais DESC NULLS LAST, k1
LIMIT 64
) t8
LIMIT $1::bigint
) t9
JOIN sessions t0 ON t0.id = t9.k1 AND t0.company_id = $2::bigint
ORDER BY t9.k0 COLLATE francais DESC NULLS LAST, t9.k1;
-- $1: 51
