-- Whether the role that calls it may read a record of the company that names the file: by its rights to the column, and of the rows
-- that its policies show it. The foreign keys say where files are named.
--
-- A file itself is readable by no role of accounts: the server gives it to the account that it belongs to, and to callers in
-- one of whose roles this function says so.
CREATE OR REPLACE FUNCTION kernel.file_named(file bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    place record;
    is_named boolean;
BEGIN
    FOR place IN
        SELECT k.conrelid::regclass AS home, a.attname AS named
        FROM pg_constraint AS k
        JOIN pg_class AS c ON c.oid = k.conrelid
        -- The last column, after that of the company.
        JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[cardinality(k.conkey)]
        WHERE k.contype = 'f' AND k.confrelid = 'kernel.files'::regclass
            AND k.conrelid <> ALL (ARRAY['kernel.file_bytes', 'kernel.file_pictures']::regclass[])
            AND has_schema_privilege(c.relnamespace, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
        ORDER BY 1
    LOOP
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM %s AS t WHERE t.%I = $1%s)', place.home, place.named, kernel.of_company(place.home))
            INTO is_named USING file;
        IF is_named THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END
$$;

SELECT kernel.note_file('kernel', 'functions/file_named.sql', '1939e520bce4a0f5');
