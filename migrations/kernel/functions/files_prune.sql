-- Removes files that no record names and that their account has not given for `age`, at most `at_most` of them, and returns how
-- many. Only one call at a time removes files; a concurrent call returns 0.
--
-- The foreign keys say where files are named. A record that is written meanwhile keeps its file: the deletion then fails.
CREATE OR REPLACE FUNCTION kernel.files_prune(age interval, at_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    unnamed text;
    old bigint;
    removed integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock('kernel.files'::regclass::oid::bigint) THEN
        RETURN 0;
    END IF;
    SELECT string_agg(
            format(' AND NOT EXISTS (SELECT FROM %s AS u WHERE u.%I = f.id)', k.conrelid::regclass, a.attname), '')
        INTO unnamed
        FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
        WHERE k.contype = 'f' AND k.confrelid = 'kernel.files'::regclass
            AND k.conrelid <> ALL (ARRAY['kernel.file_bytes', 'kernel.file_pictures']::regclass[]);
    FOR old IN EXECUTE
        format(
            'SELECT f.id FROM kernel.files AS f WHERE f.given_at < now() - $1%s ORDER BY f.given_at LIMIT $2',
            coalesce(unnamed, ''))
        USING age, at_most
    LOOP
        BEGIN
            DELETE FROM kernel.files AS f WHERE f.id = old AND f.given_at < now() - age;
            removed := removed + 1;
        EXCEPTION WHEN foreign_key_violation THEN
            NULL;
        END;
    END LOOP;
    RETURN removed;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.files_prune(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.files_prune(interval, integer) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/files_prune.sql', 'e7b4181ba0442c8e');
