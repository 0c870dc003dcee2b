SELECT * FROM (
SELECT t0.id AS c0, t0.date AS c1, t1.d AS c2
FROM sessions t0
LEFT JOIN LATERAL (SELECT nombre_sessions(t2) AS d FROM formateurs t2 WHERE t2.id = t0.formateur_id OFFSET 0) t1 ON true
WHERE t0.date <= $1::date AND ((t0.date = $1::date AND t0.formateur_id IS NULL AND t0.id > $2::bigint) OR (t0.date < $1::date))
ORDER BY t0.date DESC, t1.d, t0.id
LIMIT 64
) t3
LIMIT $3::bigint;
-- $1: 2026-01-12
-- $2: 7
-- $3: 51
