WITH t1 AS (
DELETE FROM clients
WHERE id = kernel.answered($1::integer) AND company_id = $2::bigint
RETURNING id
)
SELECT set_config('learntrack.answered', id::text, true) FROM t1;
-- $1: 0
