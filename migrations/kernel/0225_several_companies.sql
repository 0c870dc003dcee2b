-- What is true of the installation as a whole: whether it serves several companies. Migrations leave it with one.
--
-- Entries of the journal are shown in their company, to who reads them as one of everybody: no policy for certain roles adds that.
--
-- Safe from: 1.0.0
-- Locks: public.journal and kernel.jobs against everything, for a moment
CREATE TABLE kernel.installation (
    -- Since when policies keep companies apart, and servers name theirs in each read. Null: there is one company.
    enabled_at timestamptz,
    -- Since when the database shows nothing to who names no company. Null: they are in the first one.
    closed_at timestamptz CONSTRAINT installation_closed_check CHECK (closed_at IS NULL OR enabled_at IS NOT NULL)
);
CREATE UNIQUE INDEX installation_single_idx ON kernel.installation ((true));
COMMENT ON INDEX kernel.installation_single_idx IS 'unique: one row';
INSERT INTO kernel.installation DEFAULT VALUES;

GRANT SELECT ON kernel.installation TO learntrack_auth;
ALTER TABLE kernel.installation ENABLE ROW LEVEL SECURITY;
CREATE POLICY installation_auth ON kernel.installation FOR SELECT TO learntrack_auth USING (true);

-- CASE, because to_regclass fails on a schema that the role may not use.
ALTER POLICY journal_readers ON public.journal
    USING (company_id = kernel.company() AND
        CASE
            WHEN pg_catalog.has_schema_privilege(
                pg_catalog.to_regnamespace(pg_catalog.quote_ident(table_schema)), 'USAGE')
            THEN
                CASE
                    WHEN pg_catalog.has_any_column_privilege(
                        pg_catalog.to_regclass(
                            pg_catalog.quote_ident(table_schema) || '.' || pg_catalog.quote_ident(table_name)), 'SELECT')
                    THEN
                        CASE
                            WHEN nullif(pg_catalog.current_setting('learntrack.subject', true), '') IS NULL THEN true
                            ELSE kernel.is_readable(table_schema, table_name, row_id)
                        END
                    ELSE false
                END
            ELSE false
        END);

-- A job runs for all companies, and its errors name them: with several, the operator alone sees and runs it. As
-- functions/serves_several.sql has it, which is applied after this file.
--
-- Whether the installation serves more than one company. SECURITY DEFINER, since no role of accounts reads companies.
CREATE OR REPLACE FUNCTION kernel.serves_several() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT count(*) > 1 FROM kernel.companies
$$;

REVOKE EXECUTE ON FUNCTION kernel.serves_several() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.serves_several() TO learntrack_admin;

ALTER POLICY jobs_admin ON kernel.jobs USING (NOT kernel.serves_several());

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0225_several_companies.sql') ON CONFLICT DO NOTHING;
