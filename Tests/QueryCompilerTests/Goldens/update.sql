UPDATE sessions SET module = $2::text, tarif = $3::numeric
WHERE id = $1::bigint AND version = $4::integer;
-- $1: 5
-- $2: Swift
-- $3: NULL
-- $4: 2

SELECT t0.id AS c0, t0.version AS c1
FROM sessions t0
WHERE t0.id = $1::bigint;
-- $1: 5
