SELECT * FROM (
SELECT t1.id AS c0, (SELECT count(*) FROM sessions r WHERE r.client_id = t1.id AND r.company_id = $2::bigint) AS c1, t0.date AS c2, t0.debut AS c3, t0.id AS c4
FROM sessions t0
LEFT JOIN clients t1 ON t1.id = t0.client_id AND t1.company_id = $2::bigint
WHERE t0.company_id = $2::bigint
ORDER BY t0.date DESC, t0.debut, t0.id
LIMIT 64
) t2
LIMIT $1::bigint;
-- $1: 51
