SELECT t0.id AS c0
FROM sessions t0
WHERE t0.id = $1::bigint AND t0.version = $2::integer;
-- $1: 5
-- $2: 2
