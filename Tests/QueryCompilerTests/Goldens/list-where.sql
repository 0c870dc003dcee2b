WITH t1 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t4.date AS k0, t4.debut AS k1, t4.id AS k2, (EXISTS (SELECT 1 FROM clients t5 WHERE t5.id = t4.client_id AND t5.company_id = $9::bigint AND t5.ville ILIKE $4::text) AND (t4.formateur_id IS NULL OR marge(t4) < $5::numeric) AND t4.module COLLATE "C" >= $7::text) AS m
FROM sessions t4
WHERE t4.company_id = $9::bigint
  AND ((t4.date >= $1::date AND t4.date < $2::date) AND t4.modalite = $3 AND t4.lieu IS NULL AND NOT (t4.id = ANY ($6::bigint[])))
ORDER BY t4.date DESC, t4.debut, t4.id
LIMIT 128
) t6
WHERE m
LIMIT 1
), t2 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t7.date AS k0, t7.debut AS k1, t7.id AS k2, (EXISTS (SELECT 1 FROM clients t8 WHERE t8.id = t7.client_id AND t8.company_id = $9::bigint AND t8.ville ILIKE $4::text) AND (t7.formateur_id IS NULL OR marge(t7) < $5::numeric) AND t7.module COLLATE "C" >= $7::text) AS m
FROM sessions t7
WHERE t7.company_id = $9::bigint
  AND ((t7.date >= $1::date AND t7.date < $2::date) AND t7.modalite = $3 AND t7.lieu IS NULL AND NOT (t7.id = ANY ($6::bigint[])))
  AND EXISTS (SELECT 1 FROM t1)
ORDER BY t7.date DESC, t7.debut, t7.id
LIMIT 2000
) t9
WHERE m
LIMIT 64
), t3 AS MATERIALIZED (
SELECT t10.date AS k0, t10.debut AS k1, t10.id AS k2
FROM sessions t10
WHERE t10.company_id = $9::bigint
  AND (((t10.date >= $1::date AND t10.date < $2::date) AND t10.modalite = $3 AND t10.lieu IS NULL AND NOT (t10.id = ANY ($6::bigint[]))) AND (t10.client_id = ANY (ARRAY(SELECT t11.id FROM clients t11 WHERE t11.ville ILIKE $4::text AND t11.company_id = $9::bigint)) AND (t10.formateur_id IS NULL OR marge(t10) < $5::numeric) AND t10.module COLLATE "C" >= $7::text))
  AND (SELECT count(*) FROM t2) < $8::bigint
)
SELECT t0.id AS c0, t13.k0 AS c1, t13.k1 AS c2, t13.k2 AS c3
FROM (
SELECT * FROM (
(SELECT * FROM t2 WHERE (SELECT count(*) FROM t2) >= $8::bigint)
UNION ALL
(SELECT * FROM t3 ORDER BY k0 DESC, k1, k2 LIMIT 64)
) t12
ORDER BY k0 DESC, k1, k2
LIMIT $8::bigint
) t13
JOIN sessions t0 ON t0.id = t13.k2 AND t0.company_id = $9::bigint
ORDER BY t13.k0 DESC, t13.k1, t13.k2;
-- $1: 2026-01-01
-- $2: 2026-02-01
-- $3: P
-- $4: par%
-- $5: 0
-- $6: {"1","2"}
-- $7: M
-- $8: 51
