WITH t1 AS (
UPDATE sessions SET module = $2::text, tarif = $3::numeric
WHERE id = $1::bigint AND version = $4::integer AND company_id = $5::bigint
RETURNING id
)
SELECT set_config('learntrack.answered', id::text, true) FROM t1;
-- $1: 5
-- $2: Swift
-- $3: NULL
-- $4: 2

SELECT t0.id AS c0, t0.version AS c1
FROM sessions t0
WHERE t0.id = nullif(current_setting('learntrack.answered', true), '')::bigint AND t0.company_id = $1::bigint;
