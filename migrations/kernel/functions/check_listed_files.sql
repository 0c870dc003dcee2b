-- Checks the files that a value inside a record names: the trigger that kernel.file_list_keep makes. Its arguments are the column,
-- the member, the size of the largest file, and the media types.
--
-- A caller may name the files of the own account, and those that the role of the call may read, in the company of the record: so a
-- record keeps the photos of another account, and passes them on. Row-level security of kernel.files decides which these are; any
-- other file is told as one that does not exist. What the record named before stays.
CREATE OR REPLACE FUNCTION kernel.check_listed_files() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    before bigint[] := '{}';
    -- A record of a table without a company names files of that of the transaction.
    company bigint := coalesce((to_jsonb(NEW) ->> 'company_id')::bigint, kernel.company());
    named record;
    fits boolean;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        before := ARRAY(SELECT f.file FROM kernel.files_in(to_jsonb(OLD) -> TG_ARGV[0], TG_ARGV[1]) AS f);
    END IF;
    FOR named IN SELECT * FROM kernel.files_in(to_jsonb(NEW) -> TG_ARGV[0], TG_ARGV[1]) LOOP
        CONTINUE WHEN named.file = ANY (before);
        fits := (
            SELECT f.size <= TG_ARGV[2]::integer AND f.media_type = ANY (TG_ARGV[3:])
            FROM kernel.files AS f WHERE f.company_id = company AND f.id = named.file);
        IF fits IS NULL THEN
            RAISE EXCEPTION 'there is no file %', named.file
                USING ERRCODE = 'integrity_constraint_violation', HINT = format('/%s%s', TG_ARGV[0], named.place),
                    CONSTRAINT = format('%s_%s_fkey', TG_TABLE_NAME, TG_ARGV[0]);
        ELSIF NOT fits THEN
            RAISE EXCEPTION 'the file % is too large or of another kind', named.file
                USING ERRCODE = 'integrity_constraint_violation', HINT = format('/%s%s', TG_ARGV[0], named.place),
                    CONSTRAINT = format('%s_%s_check', TG_TABLE_NAME, TG_ARGV[0]);
        END IF;
    END LOOP;
    RETURN NEW;
END
$$;

SELECT kernel.note_file('kernel', 'functions/check_listed_files.sql', '21dd6abbbc4d40a7');
