DELETE FROM clients
WHERE id = $1::bigint AND version = $2::integer;
-- $1: 5
-- $2: 2

SELECT t0.id AS c0, t0.raison_sociale AS c1, t0.ville AS c2
FROM clients t0
WHERE t0.id = $1::bigint;
-- $1: 5
