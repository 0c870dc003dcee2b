SELECT t0.id AS c0, t0.module AS c1, t1.id AS c2, t1.nom AS c3, (t1.is_active)::text AS c4, nom_complet(t1) AS c5, to_json(t0.created_at) AS c6, t2.id AS c7, t2.raison_sociale AS c8, (SELECT coalesce('[' || string_agg(j, ',') || ']', '[]') FROM (SELECT concat('{"date":', '"' || t3.date || '"', ',"tarif":', coalesce((t3.tarif)::text, 'null'), ',"created_at":', to_json(t3.created_at)::text, ',"lieu":', coalesce(to_json(t3.lieu)::text, 'null'), ',"formateur":', CASE WHEN t4.id IS NULL THEN 'null' ELSE concat('{"nom":', to_json(t4.nom)::text, ',"is_active":', (t4.is_active)::text, '}') END, '}') AS j
FROM sessions t3
LEFT JOIN formateurs t4 ON t4.id = t3.formateur_id AND t4.company_id = $4::bigint
WHERE t3.client_id = t2.id
  AND t3.company_id = $4::bigint
  AND t3.date >= $1::date
ORDER BY t3.date, t3.id
LIMIT $2::bigint) t5) AS c9
FROM sessions t0
LEFT JOIN formateurs t1 ON t1.id = t0.formateur_id AND t1.company_id = $4::bigint
LEFT JOIN clients t2 ON t2.id = t0.client_id AND t2.company_id = $4::bigint
WHERE t0.id = $3::bigint AND t0.company_id = $4::bigint;
-- $1: 2026-01-01
-- $2: 3
-- $3: 5
