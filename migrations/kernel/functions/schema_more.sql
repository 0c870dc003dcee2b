-- What no migration has put on the things that the migrations have made, and what lets somebody do more or runs unseen: rights of
-- LearnTrack's roles and of PUBLIC, policies, triggers, functions with the rights of their owner. Nothing while a file is not noted
-- that was applied: what the file has given is not known.
CREATE OR REPLACE FUNCTION kernel.schema_more() RETURNS TABLE (fact text, remedy text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    WITH present AS MATERIALIZED (SELECT s.fact, s.subject, s.remedy, s.is_own FROM kernel.schema_facts_now() AS s)
    SELECT p.fact,
        CASE
            -- It takes the rights to columns, too, which migrations may have given.
            WHEN p.remedy LIKE 'GRANT %' THEN
                concat_ws('; ', regexp_replace(p.remedy, '^GRANT (.*) TO (.*)$', 'REVOKE \1 FROM \2'),
                    (SELECT string_agg(f.remedy, '; ' ORDER BY f.remedy) FROM kernel.schema_facts AS f
                        WHERE f.subject = p.subject AND p.remedy ~ '^GRANT \w+ ON '
                            AND f.remedy LIKE split_part(p.remedy, ' ON ', 1) || ' (%) ON ' || split_part(p.remedy, ' ON ', 2)))
            WHEN p.fact LIKE 'policy %' THEN replace(split_part(p.remedy, ';', 1), ' IF EXISTS', '')
            WHEN p.fact LIKE 'trigger %' THEN
                format('DROP TRIGGER %s ON %s', substring(p.fact FROM '^trigger (.*) of '), p.subject)
            ELSE replace(p.remedy, 'SECURITY DEFINER', 'SECURITY INVOKER')
        END
    FROM present AS p
    WHERE p.is_own
        -- The server gives them to the tables of subjects when it registers a role (kernel.role_serve).
        AND p.fact !~ '^trigger kernel_account_roles(_truncate)? of '
        AND (p.remedy LIKE 'GRANT %' OR p.fact LIKE 'policy %' OR p.fact LIKE 'trigger %'
            OR p.fact LIKE 'rights of the owner in %')
        AND EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.subject = p.subject)
        AND NOT EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.fact = p.fact)
        AND NOT EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.remedy = p.remedy)
        AND NOT EXISTS (
            SELECT FROM present AS a
            WHERE a.fact LIKE 'file %' AND NOT EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.fact = a.fact))
    ORDER BY p.fact
$$;

REVOKE EXECUTE ON FUNCTION kernel.schema_more() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/schema_more.sql', '1b37fa367124c69d');
