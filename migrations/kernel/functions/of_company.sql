-- The condition that a row of the table, under the alias `t`, belongs to the company of the transaction, for statements that are put
-- together as text; empty for a table whose rows belong to no company.
CREATE OR REPLACE FUNCTION kernel.of_company(home regclass) RETURNS text
    LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = home AND a.attname = 'company_id' AND NOT a.attisdropped)
    THEN ' AND t.company_id = kernel.company()' ELSE '' END
$$;

SELECT kernel.note_file('kernel', 'functions/of_company.sql', '479c4545e7ddff94');
