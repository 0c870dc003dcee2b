WITH t1 AS (
UPDATE sessions SET module = $2::text, formateur_id = kernel.answered($3::integer), client_id = $4::bigint
WHERE id = kernel.answered($1::integer) AND version = $5::integer AND company_id = $6::bigint
RETURNING id
)
SELECT set_config('learntrack.answered', id::text, true) FROM t1;
-- $1: 1
-- $2: Swift
-- $3: 0
-- $4: 3
-- $5: 2

SELECT t0.id AS c0
FROM sessions t0
WHERE t0.id = nullif(current_setting('learntrack.answered', true), '')::bigint AND t0.company_id = $1::bigint;
