WITH t1 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t4.date AS k0, t4.debut AS k1, t4.id AS k2, (recherche(t4) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')
  OR t4.formateur_id = ANY (ARRAY(SELECT t5.id FROM formateurs t5 WHERE nom_recherche(t5) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')))) AND (recherche(t4) LIKE (SELECT '%' || regexp_replace(sans_accents($2::text), '([\\%_])', '\\\1', 'g') || '%')
  OR t4.formateur_id = ANY (ARRAY(SELECT t6.id FROM formateurs t6 WHERE nom_recherche(t6) LIKE (SELECT '%' || regexp_replace(sans_accents($2::text), '([\\%_])', '\\\1', 'g') || '%')))) AS m
FROM sessions t4
ORDER BY t4.date DESC, t4.debut, t4.id
LIMIT 500
) t3
WHERE m
ORDER BY k0 DESC, k1, k2
LIMIT 32
), t2 AS MATERIALIZED (
SELECT t7.date AS k0, t7.debut AS k1, t7.id AS k2
FROM sessions t7
WHERE (recherche(t7) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')
  OR t7.formateur_id = ANY (ARRAY(SELECT t8.id FROM formateurs t8 WHERE nom_recherche(t8) LIKE (SELECT '%' || regexp_replace(sans_accents($1::text), '([\\%_])', '\\\1', 'g') || '%')))) AND (recherche(t7) LIKE (SELECT '%' || regexp_replace(sans_accents($2::text), '([\\%_])', '\\\1', 'g') || '%')
  OR t7.formateur_id = ANY (ARRAY(SELECT t9.id FROM formateurs t9 WHERE nom_recherche(t9) LIKE (SELECT '%' || regexp_replace(sans_accents($2::text), '([\\%_])', '\\\1', 'g') || '%'))))
  AND (SELECT count(*) FROM t1) < $3::bigint
)
SELECT t0.module AS c0, t11.k0 AS c1, t11.k1 AS c2, t11.k2 AS c3
FROM (
SELECT * FROM (
(SELECT * FROM t1 WHERE (SELECT count(*) FROM t1) >= $3::bigint)
UNION ALL
(SELECT * FROM t2 ORDER BY k0 DESC, k1, k2 LIMIT 32)
) t10
ORDER BY k0 DESC, k1, k2
LIMIT $3::bigint
) t11
JOIN sessions t0 ON t0.id = t11.k2
ORDER BY t11.k0 DESC, t11.k1, t11.k2;
-- $1: élo_die
-- $2: swift
-- $3: 21
