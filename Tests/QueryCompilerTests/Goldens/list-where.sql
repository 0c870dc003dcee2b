SELECT * FROM (
SELECT t0.id AS c0, t0.date AS c1, t0.debut AS c2
FROM sessions t0
WHERE ((t0.date >= $1::date AND t0.date < $2::date) AND t0.modalite = $3 AND left(t0.lieu, 200) IS NULL AND EXISTS (SELECT 1 FROM clients t1 WHERE t1.id = t0.client_id AND t1.ville ILIKE $4::text) AND (t0.formateur_id IS NULL OR marge(t0) < $5::numeric) AND NOT (t0.id = ANY ($6::bigint[])) AND t0.module COLLATE francais >= $7::text)
ORDER BY t0.date DESC, t0.debut, t0.id
LIMIT 64
) t2
LIMIT $8::bigint;
-- $1: 2026-01-01
-- $2: 2026-02-01
-- $3: P
-- $4: par%
-- $5: 0
-- $6: {"1","2"}
-- $7: M
-- $8: 51
