SELECT set_config('learntrack.answered', id::text, true)
FROM sessions
WHERE id = $1::bigint AND version = $2::integer AND company_id = $3::bigint;
-- $1: 5
-- $2: 2

SELECT t0.id AS c0
FROM sessions t0
WHERE t0.id = nullif(current_setting('learntrack.answered', true), '')::bigint AND t0.company_id = $1::bigint;
