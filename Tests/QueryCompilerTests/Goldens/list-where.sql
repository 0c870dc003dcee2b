WITH t1 AS MATERIALIZED (
SELECT k0, k1, k2 FROM (
SELECT t4.date AS k0, t4.debut AS k1, t4.id AS k2, (EXISTS (SELECT 1 FROM clients t5 WHERE t5.id = t4.client_id AND t5.ville ILIKE $4::text) AND t4.module COLLATE "C" >= $7::text) AS m
FROM sessions t4
WHERE ((t4.date >= $1::date AND t4.date < $2::date) AND t4.modalite = $3 AND left(t4.lieu, 200) IS NULL AND (t4.formateur_id IS NULL OR marge(t4) < $5::numeric) AND NOT (t4.id = ANY ($6::bigint[])))
ORDER BY t4.date DESC, t4.debut, t4.id
LIMIT 500
) t3
WHERE m
ORDER BY k0 DESC, k1, k2
LIMIT 64
), t2 AS MATERIALIZED (
SELECT t6.date AS k0, t6.debut AS k1, t6.id AS k2
FROM sessions t6
WHERE (((t6.date >= $1::date AND t6.date < $2::date) AND t6.modalite = $3 AND left(t6.lieu, 200) IS NULL AND (t6.formateur_id IS NULL OR marge(t6) < $5::numeric) AND NOT (t6.id = ANY ($6::bigint[]))) AND (t6.client_id = ANY (ARRAY(SELECT t7.id FROM clients t7 WHERE t7.ville ILIKE $4::text)) AND t6.module COLLATE "C" >= $7::text))
  AND (SELECT count(*) FROM t1) < $8::bigint
)
SELECT t0.id AS c0, t9.k0 AS c1, t9.k1 AS c2, t9.k2 AS c3
FROM (
SELECT * FROM (
(SELECT * FROM t1 WHERE (SELECT count(*) FROM t1) >= $8::bigint)
UNION ALL
(SELECT * FROM t2 ORDER BY k0 DESC, k1, k2 LIMIT 64)
) t8
ORDER BY k0 DESC, k1, k2
LIMIT $8::bigint
) t9
JOIN sessions t0 ON t0.id = t9.k2
ORDER BY t9.k0 DESC, t9.k1, t9.k2;
-- $1: 2026-01-01
-- $2: 2026-02-01
-- $3: P
-- $4: par%
-- $5: 0
-- $6: {"1","2"}
-- $7: M
-- $8: 51
