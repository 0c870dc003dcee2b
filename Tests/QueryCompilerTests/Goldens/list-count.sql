SELECT t4.*, t3.n
FROM (SELECT count(*) AS n FROM sessions t2
WHERE t2.company_id = $3::bigint
  AND t2.modalite = $1) t3
LEFT JOIN (
SELECT * FROM (
SELECT t0.id AS c0, to_json(t0.created_at) AS c1
FROM sessions t0
WHERE t0.company_id = $3::bigint
  AND t0.modalite = $1
ORDER BY t0.created_at DESC, t0.id
LIMIT 64
) t1
LIMIT $2::bigint
) t4 ON true
ORDER BY (t4.c1 #>> '{}')::timestamptz DESC, t4.c0;
-- $1: D
-- $2: 51
