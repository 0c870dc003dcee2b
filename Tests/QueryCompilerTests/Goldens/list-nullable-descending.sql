SELECT * FROM (
SELECT t0.id AS c0, left(t0.lieu, 200) AS c1
FROM sessions t0
WHERE t0.company_id = $2::bigint
ORDER BY left(t0.lieu, 200) COLLATE francais DESC NULLS LAST, t0.id
LIMIT 64
) t1
LIMIT $1::bigint;
-- $1: 51
