-- What no migration has put on the things that the migrations have made, and what lets somebody do more or runs unseen: rights of
-- LearnTrack's roles and of PUBLIC, policies, triggers, functions with the rights of their owner.
CREATE OR REPLACE FUNCTION kernel.schema_more() RETURNS TABLE (fact text, remedy text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT s.fact,
        CASE
            WHEN s.remedy LIKE 'GRANT %' THEN regexp_replace(s.remedy, '^GRANT (.*) TO (.*)$', 'REVOKE \1 FROM \2')
            WHEN s.fact LIKE 'policy %' THEN replace(split_part(s.remedy, ';', 1), ' IF EXISTS', '')
            WHEN s.fact LIKE 'trigger %' THEN format('DROP TRIGGER %s ON %s', substring(s.fact FROM '^trigger (.*) of '), s.subject)
            ELSE replace(s.remedy, 'SECURITY DEFINER', 'SECURITY INVOKER')
        END
    FROM kernel.schema_facts_now() AS s
    WHERE (s.remedy LIKE 'GRANT %' OR s.fact LIKE 'policy %' OR s.fact LIKE 'trigger %' OR s.fact LIKE 'rights of the owner in %')
        AND EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.subject = s.subject)
        AND NOT EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.fact = s.fact OR f.remedy = s.remedy)
    ORDER BY s.fact
$$;

REVOKE EXECUTE ON FUNCTION kernel.schema_more() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/schema_more.sql', '77aac913d492e29b');
