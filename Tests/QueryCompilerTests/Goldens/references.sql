SELECT EXISTS (SELECT 1 FROM formateurs WHERE id = $1::bigint AND company_id = $2::bigint)::text;
-- $1: 7

SELECT EXISTS (SELECT 1 FROM clients WHERE id = $1::bigint AND company_id = $2::bigint)::text;
-- $1: 8

SELECT (SELECT count(*) FROM sessions WHERE client_id = $1::bigint AND company_id = $2::bigint);
-- $1: 5
