-- Keeps the files that a jsonb column names by a member of its objects, be it one object or a list of them: of one of these media
-- types, and of at most so many bytes. The migrations of a domain call it for each such member; '' if the column is a list of ids.
--
--     SELECT kernel.file_list_keep('works.notes', 'blocks', 'photo', 2000000, 'image/png', 'image/jpeg');
--
-- A file that records name so stays as long as they do, and who may read the column of one of these records may read the file.
CREATE OR REPLACE FUNCTION kernel.file_list_keep(
    kept regclass, field name, member name, max_bytes integer, VARIADIC kinds text[])
    RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE OF %I ON %s '
        'FOR EACH ROW WHEN (NEW.%I IS NOT NULL) EXECUTE FUNCTION kernel.check_listed_files(%L, %L, %s, %s)',
        concat_ws('_', 'files', field, nullif(member, '')), field, kept, field, field, member, max_bytes,
        (SELECT string_agg(quote_literal(kind), ', ') FROM unnest(kinds) AS kind));
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER %I AFTER INSERT OR UPDATE OF %I OR DELETE ON %s '
        'FOR EACH ROW EXECUTE FUNCTION kernel.note_listed_files(%L, %L)',
        concat_ws('_', 'files', field, nullif(member, ''), 'note'), field, kept, field, member);
    EXECUTE format(
        'INSERT INTO kernel.listed_files (company_id, file_id, home, record_id, field, member) '
        'SELECT DISTINCT %s, f.file, %L::regclass, r.id, %L, %L '
        'FROM %s AS r CROSS JOIN LATERAL kernel.files_in(r.%I, %L) AS f ON CONFLICT DO NOTHING',
        CASE kernel.of_company(kept) WHEN '' THEN 'kernel.company()' ELSE 'r.company_id' END,
        kept, field, member, kept, field, member);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.file_list_keep(regclass, name, name, integer, text[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/file_list_keep.sql', 'aeea0ad7691d86fd');
