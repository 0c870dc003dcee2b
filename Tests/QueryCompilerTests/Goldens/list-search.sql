WITH t1 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t4.date AS k0, t4.debut AS k1, t4.id AS k2, searchable(t4) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($1::text), '([\\%_])', '\\\1', 'g') || '%') AND searchable(t4) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($2::text), '([\\%_])', '\\\1', 'g') || '%') AS m
FROM sessions t4
WHERE t4.company_id = $4::bigint
ORDER BY t4.date DESC, t4.debut, t4.id
LIMIT 128
) t5
WHERE m
LIMIT 1
), t2 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t6.date AS k0, t6.debut AS k1, t6.id AS k2, searchable(t6) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($1::text), '([\\%_])', '\\\1', 'g') || '%') AND searchable(t6) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($2::text), '([\\%_])', '\\\1', 'g') || '%') AS m
FROM sessions t6
WHERE t6.company_id = $4::bigint
  AND EXISTS (SELECT 1 FROM t1)
ORDER BY t6.date DESC, t6.debut, t6.id
LIMIT 2000
) t7
WHERE m
LIMIT 32
), t3 AS MATERIALIZED (
SELECT t8.date AS k0, t8.debut AS k1, t8.id AS k2
FROM sessions t8
WHERE t8.company_id = $4::bigint
  AND searchable(t8) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($1::text), '([\\%_])', '\\\1', 'g') || '%') AND searchable(t8) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($2::text), '([\\%_])', '\\\1', 'g') || '%')
  AND (SELECT count(*) FROM t2) < $3::bigint
)
SELECT t0.module AS c0, t10.k0 AS c1, t10.k1 AS c2, t10.k2 AS c3
FROM (
SELECT * FROM (
(SELECT * FROM t2 WHERE (SELECT count(*) FROM t2) >= $3::bigint)
UNION ALL
(SELECT * FROM t3 ORDER BY k0 DESC, k1, k2 LIMIT 32)
) t9
ORDER BY k0 DESC, k1, k2
LIMIT $3::bigint
) t10
JOIN sessions t0 ON t0.id = t10.k2 AND t0.company_id = $4::bigint
ORDER BY t10.k0 DESC, t10.k1, t10.k2;
-- $1: élo_die
-- $2: swift
-- $3: 21
