WITH t1 AS (
INSERT INTO sessions (module, date, debut, modalite, client_id)
VALUES ($1::text, $2::date, $3::time, $4, kernel.answered($5::integer))
RETURNING id
)
SELECT set_config('learntrack.answered', id::text, true) FROM t1;
-- $1: Swift
-- $2: 2026-01-12
-- $3: 09:00:00
-- $4: P
-- $5: 0

SELECT t0.id AS c0
FROM sessions t0
WHERE t0.id = nullif(current_setting('learntrack.answered', true), '')::bigint AND t0.company_id = $1::bigint;
