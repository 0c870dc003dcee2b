-- Notes which files a record names by a member of the objects in a column: the trigger that kernel.file_list_keep makes. Its
-- arguments are the column and the member.
CREATE OR REPLACE FUNCTION kernel.note_listed_files() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    named bigint[] := '{}';
    -- That of the record, of the transaction where its table has none.
    company bigint := coalesce((coalesce(to_jsonb(NEW), to_jsonb(OLD)) ->> 'company_id')::bigint, kernel.company());
BEGIN
    IF TG_OP <> 'DELETE' THEN
        named := ARRAY(SELECT DISTINCT f.file FROM kernel.files_in(to_jsonb(NEW) -> TG_ARGV[0], TG_ARGV[1]) AS f);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM kernel.listed_files AS l
        WHERE l.company_id = company AND l.home = TG_RELID AND l.record_id = OLD.id
            AND l.field = TG_ARGV[0] AND l.member = TG_ARGV[1] AND l.file_id <> ALL (named);
    END IF;
    INSERT INTO kernel.listed_files (company_id, file_id, home, record_id, field, member)
        SELECT company, f, TG_RELID, NEW.id, TG_ARGV[0], TG_ARGV[1] FROM unnest(named) AS f
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

-- Otherwise any role could keep files, by a temporary table with the trigger.
REVOKE EXECUTE ON FUNCTION kernel.note_listed_files() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/note_listed_files.sql', '86e2cede2dd0c1c8');
