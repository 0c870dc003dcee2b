-- Removes files that no record names and that their account has not given for `age`, at most `at_most` of them, of all companies,
-- and returns how many. Only one call at a time removes files; a concurrent call returns 0.
--
-- The foreign keys say where files are named. A record that is written meanwhile keeps its file: the deletion then fails.
CREATE OR REPLACE FUNCTION kernel.files_prune(age interval, at_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    unnamed text;
    company bigint := (SELECT min(f.company_id) FROM kernel.files AS f);
    old bigint;
    removed integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock('kernel.files'::regclass::oid::bigint) THEN
        RETURN 0;
    END IF;
    SELECT string_agg(format(' AND NOT EXISTS (SELECT FROM %s AS u WHERE %s)', k.conrelid::regclass, same.columns), '')
        INTO unnamed
        FROM pg_constraint AS k
        -- The column that names the file, and that of the company.
        CROSS JOIN LATERAL (
            SELECT string_agg(format('u.%I = f.%I', here.attname, there.attname), ' AND ') AS columns
            FROM unnest(k.conkey, k.confkey) AS p (here, there)
            JOIN pg_attribute AS here ON here.attrelid = k.conrelid AND here.attnum = p.here
            JOIN pg_attribute AS there ON there.attrelid = k.confrelid AND there.attnum = p.there
        ) AS same
        WHERE k.contype = 'f' AND k.confrelid = 'kernel.files'::regclass
            AND k.conrelid <> ALL (ARRAY['kernel.file_bytes', 'kernel.file_pictures']::regclass[]);
    WHILE company IS NOT NULL AND removed < at_most LOOP
        FOR old IN EXECUTE
            format(
                'SELECT f.id FROM kernel.files AS f WHERE f.company_id = $1 AND f.given_at < now() - $2%s '
                'ORDER BY f.given_at LIMIT $3', coalesce(unnamed, ''))
            USING company, age, at_most - removed
        LOOP
            BEGIN
                DELETE FROM kernel.files AS f WHERE f.company_id = company AND f.id = old AND f.given_at < now() - age;
                removed := removed + 1;
            EXCEPTION WHEN foreign_key_violation THEN
                NULL;
            END;
        END LOOP;
        company := (SELECT min(f.company_id) FROM kernel.files AS f WHERE f.company_id > company);
    END LOOP;
    RETURN removed;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.files_prune(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.files_prune(interval, integer) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/files_prune.sql', 'b0c6a1a29d23fee2');
