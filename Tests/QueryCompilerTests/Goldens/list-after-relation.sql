SELECT * FROM (
SELECT t0.id AS c0, t0.date AS c1, CASE WHEN t1.id IS NOT NULL THEN nombre_sessions(t1) END AS c2
FROM sessions t0
LEFT JOIN formateurs t1 ON t1.id = t0.formateur_id
WHERE t0.date <= $1::date AND ((t0.date = $1::date AND CASE WHEN t1.id IS NOT NULL THEN nombre_sessions(t1) END IS NULL AND t0.id > $2::bigint) OR (t0.date < $1::date))
ORDER BY t0.date DESC, CASE WHEN t1.id IS NOT NULL THEN nombre_sessions(t1) END, t0.id
LIMIT 64
) t2
LIMIT $3::bigint;
-- $1: 2026-01-12
-- $2: 7
-- $3: 51
