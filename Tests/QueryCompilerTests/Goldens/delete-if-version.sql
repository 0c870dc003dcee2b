DELETE FROM clients
WHERE id = $1::bigint AND version = $2::integer;
-- $1: 5
-- $2: 2
