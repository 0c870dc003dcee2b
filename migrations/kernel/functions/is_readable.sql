-- Whether the caller sees this row of its company in a statement of its own, under row-level security.
CREATE OR REPLACE FUNCTION kernel.is_readable(table_schema text, table_name text, row_id bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    home regclass := format('%I.%I', table_schema, table_name);
    found boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %s AS t WHERE t.id = $1%s)', home, kernel.of_company(home)) INTO found USING row_id;
    RETURN found;
END
$$;

SELECT kernel.note_file('kernel', 'functions/is_readable.sql', '80e418e40eaa89bb');
