\set word random(0, 4095)
SELECT json_agg(row_to_json(r)) FROM (SELECT s.*, json_build_object('nom', f.nom, 'prenom', f.prenom) AS formateur FROM sessions s LEFT JOIN formateurs f ON f.id = s.formateur_id WHERE recherche(s) LIKE '%' || sans_accents(substr(md5(:word::text), 1, 4)) || '%' ORDER BY s.date DESC, s.id DESC LIMIT 20) r;
