WITH t1 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t4.date AS k0, t4.debut AS k1, t4.id AS k2, ((t4.lieu ILIKE $2::text AND recherche(t4) LIKE $3::text) AND (t4.tarif > $4::numeric AND t4.tarif <= 'NaN'::numeric) AND EXISTS (SELECT 1 FROM formateurs t5 WHERE t5.id = t4.formateur_id AND t5.nom ILIKE $5::text)) AS m
FROM sessions t4
WHERE t4.date >= $1::date
ORDER BY t4.date DESC, t4.debut, t4.id
LIMIT 128
) t6
WHERE m
LIMIT 1
), t2 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t7.date AS k0, t7.debut AS k1, t7.id AS k2, ((t7.lieu ILIKE $2::text AND recherche(t7) LIKE $3::text) AND (t7.tarif > $4::numeric AND t7.tarif <= 'NaN'::numeric) AND EXISTS (SELECT 1 FROM formateurs t8 WHERE t8.id = t7.formateur_id AND t8.nom ILIKE $5::text)) AS m
FROM sessions t7
WHERE t7.date >= $1::date
  AND EXISTS (SELECT 1 FROM t1)
ORDER BY t7.date DESC, t7.debut, t7.id
LIMIT 2000
) t9
WHERE m
LIMIT 64
), t10 AS MATERIALIZED (
SELECT count(*) AS n FROM (SELECT 1 FROM sessions t12
WHERE t12.date >= $1::date
LIMIT 1000) t11
), t3 AS MATERIALIZED (
SELECT t13.date AS k0, t13.debut AS k1, t13.id AS k2
FROM sessions t13
WHERE (t13.date >= $1::date AND ((t13.lieu ILIKE $2::text AND recherche(t13) LIKE $3::text) AND t13.tarif > $4::numeric AND t13.formateur_id = ANY (ARRAY(SELECT t14.id FROM formateurs t14 WHERE t14.nom ILIKE $5::text))))
  AND (SELECT count(*) FROM t2) < $6::bigint
  AND (SELECT n FROM t10) < 1000
UNION ALL
SELECT t15.date AS k0, t15.debut AS k1, t15.id AS k2
FROM sessions t15
WHERE (t15.date >= $1::date AND ((t15.lieu ILIKE $2::text AND recherche(t15) LIKE $3::text) AND (t15.tarif > $4::numeric AND t15.tarif <= 'NaN'::numeric) AND t15.formateur_id = ANY (ARRAY(SELECT t16.id FROM formateurs t16 WHERE t16.nom ILIKE $5::text))))
  AND (SELECT count(*) FROM t2) < $6::bigint
  AND (SELECT n FROM t10) >= 1000
)
SELECT t0.id AS c0, t18.k0 AS c1, t18.k1 AS c2, t18.k2 AS c3
FROM (
SELECT * FROM (
(SELECT * FROM t2 WHERE (SELECT count(*) FROM t2) >= $6::bigint)
UNION ALL
(SELECT * FROM t3 ORDER BY k0 DESC, k1, k2 LIMIT 64)
) t17
ORDER BY k0 DESC, k1, k2
LIMIT $6::bigint
) t18
JOIN sessions t0 ON t0.id = t18.k2
ORDER BY t18.k0 DESC, t18.k1, t18.k2;
-- $1: 2026-01-01
-- $2: %paris%
-- $3: %paris%
-- $4: 100
-- $5: dup%
-- $6: 51
