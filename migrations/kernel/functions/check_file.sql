-- Checks the file that a record names: the trigger that kernel.file_keep makes. Its arguments are the column, the size of the
-- largest file, and the media types.
--
-- The server's callers name files of their own account only, and of the company of the record: by the id of another's file they
-- would come to read it. It is told as a file that does not exist. SECURITY DEFINER, since no role of accounts may read files.
CREATE OR REPLACE FUNCTION kernel.check_file() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    named bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
    -- A record of a table without a company names a file of that of the transaction.
    company bigint := coalesce((to_jsonb(NEW) ->> 'company_id')::bigint, kernel.company());
    found kernel.files;
BEGIN
    IF TG_OP = 'UPDATE' AND named = (to_jsonb(OLD) ->> TG_ARGV[0])::bigint THEN
        RETURN NEW;
    END IF;
    SELECT * INTO found FROM kernel.files AS f WHERE f.company_id = company AND f.id = named FOR KEY SHARE;
    IF found.id IS NULL OR kernel.account() IS NOT NULL AND found.account_id IS DISTINCT FROM kernel.account() THEN
        RAISE EXCEPTION 'there is no file %', named
            USING ERRCODE = 'foreign_key_violation',
                CONSTRAINT = format('%s_%s_fkey', TG_TABLE_NAME, TG_ARGV[0]);
    ELSIF found.size > TG_ARGV[1]::integer OR found.media_type <> ALL (TG_ARGV[2:]) THEN
        RAISE EXCEPTION 'the file % is too large or of another kind', named
            USING ERRCODE = 'check_violation', CONSTRAINT = format('%s_%s_check', TG_TABLE_NAME, TG_ARGV[0]);
    END IF;
    RETURN NEW;
END
$$;

-- Otherwise any role could put the trigger on a temporary table and learn of files through it.
REVOKE EXECUTE ON FUNCTION kernel.check_file() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/check_file.sql', 'f7debe4f37ca43cf');
