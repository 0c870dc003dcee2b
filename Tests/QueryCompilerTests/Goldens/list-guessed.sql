WITH t1 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t4.date AS k0, t4.debut AS k1, t4.id AS k2, ((t4.lieu ILIKE $2::text AND recherche(t4) LIKE $3::text) AND (t4.tarif > $4::numeric AND t4.tarif <= 'NaN'::numeric) AND EXISTS (SELECT 1 FROM formateurs t5 WHERE t5.id = t4.formateur_id AND t5.nom ILIKE $5::text)) AS m
FROM sessions t4
WHERE t4.date >= $1::date
ORDER BY t4.date DESC, t4.debut, t4.id
LIMIT 500
) t3
WHERE m
ORDER BY k0 DESC, k1, k2
LIMIT 64
), t6 AS MATERIALIZED (
SELECT count(*) AS n FROM (SELECT 1 FROM sessions t8
WHERE t8.date >= $1::date
LIMIT 1000) t7
), t2 AS MATERIALIZED (
SELECT t9.date AS k0, t9.debut AS k1, t9.id AS k2
FROM sessions t9
WHERE (t9.date >= $1::date AND ((t9.lieu ILIKE $2::text AND recherche(t9) LIKE $3::text) AND t9.tarif > $4::numeric AND t9.formateur_id = ANY (ARRAY(SELECT t10.id FROM formateurs t10 WHERE t10.nom ILIKE $5::text))))
  AND (SELECT count(*) FROM t1) < $6::bigint
  AND (SELECT n FROM t6) < 1000
UNION ALL
SELECT t11.date AS k0, t11.debut AS k1, t11.id AS k2
FROM sessions t11
WHERE (t11.date >= $1::date AND ((t11.lieu ILIKE $2::text AND recherche(t11) LIKE $3::text) AND (t11.tarif > $4::numeric AND t11.tarif <= 'NaN'::numeric) AND t11.formateur_id = ANY (ARRAY(SELECT t12.id FROM formateurs t12 WHERE t12.nom ILIKE $5::text))))
  AND (SELECT count(*) FROM t1) < $6::bigint
  AND (SELECT n FROM t6) >= 1000
)
SELECT t0.id AS c0, t14.k0 AS c1, t14.k1 AS c2, t14.k2 AS c3
FROM (
SELECT * FROM (
(SELECT * FROM t1 WHERE (SELECT count(*) FROM t1) >= $6::bigint)
UNION ALL
(SELECT * FROM t2 ORDER BY k0 DESC, k1, k2 LIMIT 64)
) t13
ORDER BY k0 DESC, k1, k2
LIMIT $6::bigint
) t14
JOIN sessions t0 ON t0.id = t14.k2
ORDER BY t14.k0 DESC, t14.k1, t14.k2;
-- $1: 2026-01-01
-- $2: %paris%
-- $3: %paris%
-- $4: 100
-- $5: dup%
-- $6: 51
