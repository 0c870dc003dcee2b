-- The company in which a transaction acts: its rows are those that calls read and write, and new rows belong to it. The server
-- names it in the setting `learntrack.company`. Who names none is in the company that an installation has; once it serves several
-- (kernel.companies_close), in none, and finds nothing.
--
-- Postgres replaces a call by the body, so that a key that begins with company_id serves a comparison. CASE, and not coalesce:
-- Postgres takes coalesce for a function that may leak, and draws no conclusions from such a comparison on a table with row-level
-- security. So the body reads no table either: this function writes it as the installation has it, also when the file is applied
-- again.
CREATE OR REPLACE FUNCTION kernel.company_write() RETURNS void
    LANGUAGE plpgsql
AS $write$
BEGIN
    EXECUTE format($definition$
CREATE OR REPLACE FUNCTION kernel.company() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN pg_catalog.current_setting('learntrack.company', true) <> ''
        THEN pg_catalog.current_setting('learntrack.company', true)%s END::bigint
$$
        $definition$,
        CASE WHEN EXISTS (SELECT FROM kernel.installation WHERE closed_at IS NOT NULL) THEN '' ELSE ' ELSE ''1''' END);
END
$write$;

REVOKE EXECUTE ON FUNCTION kernel.company_write() FROM PUBLIC;

SELECT kernel.company_write();

SELECT kernel.note_file('kernel', 'functions/company.sql', 'a0dec3f2cfa33371');
