WITH t1 AS (
INSERT INTO sessions (module, date, debut, modalite, lieu, tarif, formateur_id, client_id)
SELECT t0.module, $2::date, t0.debut, t0.modalite, t0.lieu, t0.tarif, t0.formateur_id, t0.client_id
FROM sessions t0
WHERE t0.id = kernel.answered($1::integer) AND t0.company_id = $3::bigint
RETURNING id
)
SELECT set_config('learntrack.answered', id::text, true) FROM t1;
-- $1: 1
-- $2: 2026-02-01

SELECT t0.id AS c0
FROM sessions t0
WHERE t0.id = nullif(current_setting('learntrack.answered', true), '')::bigint AND t0.company_id = $1::bigint;
