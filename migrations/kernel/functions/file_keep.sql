-- Checks the files that a column names: of one of these media types, and of at most so many bytes. The migrations of a domain
-- call it for each column with a foreign key to kernel.files.
CREATE OR REPLACE FUNCTION kernel.file_keep(kept regclass, file_column name, max_bytes integer, VARIADIC kinds text[])
    RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE OF %I ON %s '
        'FOR EACH ROW WHEN (NEW.%I IS NOT NULL) EXECUTE FUNCTION kernel.check_file(%L, %s, %s)',
        'file_' || file_column, file_column, kept, file_column, file_column, max_bytes,
        (SELECT string_agg(quote_literal(kind), ', ') FROM unnest(kinds) AS kind));
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.file_keep(regclass, name, integer, text[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/file_keep.sql', '11fc60c8bce7bb7b');
