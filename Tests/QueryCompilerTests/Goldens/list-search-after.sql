WITH t1 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
WITH t6 AS MATERIALIZED (
SELECT t4.date AS k0, t4.debut AS k1, t4.id AS k2, (recherche(t4) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')
  OR t4.formateur_id = ANY (ARRAY(SELECT t5.id FROM formateurs t5 WHERE nom_recherche(t5) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')))) AS m
FROM sessions t4
WHERE t4.date = $2::date AND (t4.debut, t4.id) > ($3::time, $4::bigint)
ORDER BY t4.debut, t4.id
LIMIT 500
), t9 AS MATERIALIZED (
SELECT t7.date AS k0, t7.debut AS k1, t7.id AS k2, (recherche(t7) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')
  OR t7.formateur_id = ANY (ARRAY(SELECT t8.id FROM formateurs t8 WHERE nom_recherche(t8) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')))) AS m
FROM sessions t7
WHERE t7.date < $2::date
  AND (SELECT count(*) FROM t6) < 500
ORDER BY t7.date DESC, t7.debut, t7.id
LIMIT 500
)
SELECT * FROM (SELECT * FROM t6 UNION ALL SELECT * FROM t9) t10
ORDER BY k0 DESC, k1, k2
LIMIT 500
) t3
WHERE m
ORDER BY k0 DESC, k1, k2
LIMIT 64
), t2 AS MATERIALIZED (
SELECT t11.date AS k0, t11.debut AS k1, t11.id AS k2
FROM sessions t11
WHERE (recherche(t11) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')
  OR t11.formateur_id = ANY (ARRAY(SELECT t12.id FROM formateurs t12 WHERE nom_recherche(t12) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%'))))
  AND t11.date <= $2::date AND ((t11.date = $2::date AND (t11.debut, t11.id) > ($3::time, $4::bigint)) OR (t11.date < $2::date))
  AND (SELECT count(*) FROM t1) < $5::bigint
)
SELECT t0.module AS c0, t14.k0 AS c1, t14.k1 AS c2, t14.k2 AS c3
FROM (
SELECT * FROM (
(SELECT * FROM t1 WHERE (SELECT count(*) FROM t1) >= $5::bigint)
UNION ALL
(SELECT * FROM t2 ORDER BY k0 DESC, k1, k2 LIMIT 64)
) t13
ORDER BY k0 DESC, k1, k2
LIMIT $5::bigint
) t14
JOIN sessions t0 ON t0.id = t14.k2
ORDER BY t14.k0 DESC, t14.k1, t14.k2;
-- $1: swift
-- $2: 2026-01-12
-- $3: 09:00:00
-- $4: 7
-- $5: 51
