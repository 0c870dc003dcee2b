-- Whether the role that calls it may read the column of the record: by its right to the column, and of the rows that its policies
-- show it.
CREATE OR REPLACE FUNCTION kernel.reads_record(home regclass, field name, record bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_read boolean;
BEGIN
    -- A table that is gone has no rights, either.
    IF NOT coalesce(
        (SELECT has_schema_privilege(c.relnamespace, 'USAGE') AND has_column_privilege(c.oid, field, 'SELECT')
            AND has_column_privilege(c.oid, 'id', 'SELECT')
         FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = field WHERE c.oid = home), false)
    THEN
        RETURN false;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %s AS t WHERE t.id = $1%s)', home, kernel.of_company(home))
        INTO is_read USING record;
    RETURN is_read;
END
$$;

-- By it a role sees of kernel.listed_files and kernel.files what the records of its company name that it reads. So
-- kernel.file_named answers for a file inside a value as for one that a column names.
GRANT SELECT ON kernel.listed_files TO PUBLIC;
ALTER TABLE kernel.listed_files ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS listed_files_readers ON kernel.listed_files;
CREATE POLICY listed_files_readers ON kernel.listed_files FOR SELECT
    USING (company_id = kernel.company() AND kernel.reads_record(home, field, record_id));

-- What a file is: not its bytes, which the server alone reads.
GRANT SELECT (company_id, id, account_id, media_type, size) ON kernel.files TO PUBLIC;
DROP POLICY IF EXISTS files_readers ON kernel.files;
CREATE POLICY files_readers ON kernel.files FOR SELECT
    USING (company_id = kernel.company() AND (account_id = kernel.account() OR kernel.file_named(id)));

SELECT kernel.note_file('kernel', 'functions/reads_record.sql', 'fffc77b5c4e6da4e');
