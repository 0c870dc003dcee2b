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
), t2 AS MATERIALIZED (
SELECT t6.date AS k0, t6.debut AS k1, t6.id AS k2
FROM sessions t6
WHERE (t6.date >= $1::date AND ((t6.lieu ILIKE $2::text AND recherche(t6) LIKE $3::text) AND (t6.tarif > $4::numeric AND t6.tarif <= 'NaN'::numeric) AND t6.formateur_id = ANY (ARRAY(SELECT t7.id FROM formateurs t7 WHERE t7.nom ILIKE $5::text))))
  AND (SELECT count(*) FROM t1) < $6::bigint
)
SELECT t0.id AS c0, t9.k0 AS c1, t9.k1 AS c2, t9.k2 AS c3
FROM (
SELECT * FROM (
(SELECT * FROM t1 WHERE (SELECT count(*) FROM t1) >= $6::bigint)
UNION ALL
(SELECT * FROM t2 ORDER BY k0 DESC, k1, k2 LIMIT 64)
) t8
ORDER BY k0 DESC, k1, k2
LIMIT $6::bigint
) t9
JOIN sessions t0 ON t0.id = t9.k2
ORDER BY t9.k0 DESC, t9.k1, t9.k2;
-- $1: 2026-01-01
-- $2: %paris%
-- $3: %paris%
-- $4: 100
-- $5: dup%
-- $6: 51
