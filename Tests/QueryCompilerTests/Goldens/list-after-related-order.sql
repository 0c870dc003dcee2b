SELECT t0.id AS c0, t12.k0 AS c1, t12.k1 AS c2
FROM (
SELECT * FROM (
WITH t3 AS MATERIALIZED (
SELECT t2.nom AS k0, t1.id AS k1
FROM sessions t1
LEFT JOIN formateurs t2 ON t2.id = t1.formateur_id AND t2.company_id = $4::bigint
WHERE t1.company_id = $4::bigint
  AND t2.nom COLLATE francais = $1::text AND t1.id > $2::bigint
ORDER BY t1.id
LIMIT 64
), t6 AS MATERIALIZED (
SELECT t5.nom AS k0, t4.id AS k1
FROM sessions t4
LEFT JOIN formateurs t5 ON t5.id = t4.formateur_id AND t5.company_id = $4::bigint
WHERE t4.company_id = $4::bigint
  AND t5.nom COLLATE francais > $1::text
  AND (SELECT count(*) FROM t3) < 64
ORDER BY t5.nom COLLATE francais, t4.id
LIMIT 64
), t9 AS MATERIALIZED (
SELECT t8.nom AS k0, t7.id AS k1
FROM sessions t7
LEFT JOIN formateurs t8 ON t8.id = t7.formateur_id AND t8.company_id = $4::bigint
WHERE t7.company_id = $4::bigint
  AND t7.formateur_id IS NULL
  AND (SELECT count(*) FROM t3) + (SELECT count(*) FROM t6) < 64
ORDER BY t7.formateur_id, t7.id
LIMIT 64
)
SELECT * FROM (SELECT * FROM t3 UNION ALL SELECT * FROM t6 UNION ALL SELECT * FROM t9) t10
ORDER BY k0 COLLATE francais, k1
LIMIT 64
) t11
LIMIT $3::bigint
) t12
JOIN sessions t0 ON t0.id = t12.k1 AND t0.company_id = $4::bigint
ORDER BY t12.k0 COLLATE francais, t12.k1;
-- $1: Dupré
-- $2: 7
-- $3: 51
