SELECT t4.*, t3.n
FROM (SELECT count(*) AS n FROM sessions t2
WHERE t2.company_id = $4::bigint
  AND (SELECT kernel.near_threshold()) AND (searchable(t2) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($1::text), '([\\%_])', '\\\1', 'g') || '%') OR kernel.is_near(searchable(t2), (SELECT kernel.without_accents($1::text)))) AND strpos(searchable(t2), (SELECT kernel.without_accents($2::text))) > 0) t3
LEFT JOIN (
SELECT * FROM (
SELECT t0.id AS c0, -(kernel.nearness(searchable(t0), (SELECT kernel.without_accents($1::text)))) AS c1
FROM sessions t0
WHERE t0.company_id = $4::bigint
  AND (SELECT kernel.near_threshold()) AND (searchable(t0) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($1::text), '([\\%_])', '\\\1', 'g') || '%') OR kernel.is_near(searchable(t0), (SELECT kernel.without_accents($1::text)))) AND strpos(searchable(t0), (SELECT kernel.without_accents($2::text))) > 0
ORDER BY kernel.nearness(searchable(t0), (SELECT kernel.without_accents($1::text))) DESC, t0.id
LIMIT 64
) t1
LIMIT $3::bigint
) t4 ON true
ORDER BY t4.c1, t4.c0;
-- $1: garcai
-- $2: de
-- $3: 51
