WITH t1 AS (
DELETE FROM clients
WHERE id = $1::bigint AND version = $2::integer AND company_id = $3::bigint
RETURNING id
)
SELECT set_config('learntrack.answered', id::text, true) FROM t1;
-- $1: 5
-- $2: 2
