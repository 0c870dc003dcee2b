SELECT t1.ville AS c0, date_trunc('month', t0.date::timestamp)::date AS c1, count(*) AS c2, coalesce(sum(t0.tarif), 0) AS c3, coalesce(sum(marge(t0)), 0) AS c4, round(avg(t0.tarif), 2) AS c5, to_json(min(t0.created_at)) AS c6
FROM sessions t0
LEFT JOIN clients t1 ON t1.id = t0.client_id AND t1.company_id = $4::bigint
WHERE t0.company_id = $4::bigint
  AND t0.modalite = $1
  AND searchable(t0) LIKE (SELECT '%' || regexp_replace(kernel.without_accents($2::text), '([\\%_])', '\\\1', 'g') || '%')
GROUP BY t1.ville, date_trunc('month', t0.date::timestamp)::date
ORDER BY coalesce(sum(marge(t0)), 0) DESC NULLS LAST, t1.ville COLLATE francais, date_trunc('month', t0.date::timestamp)::date
LIMIT $3::bigint;
-- $1: P
-- $2: swift
-- $3: 51
