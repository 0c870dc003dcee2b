-- What is missing of what the migrations have left. Of a table or a function that is gone, that alone.
CREATE OR REPLACE FUNCTION kernel.schema_missing() RETURNS TABLE (fact text, remedy text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    WITH present AS MATERIALIZED (SELECT s.fact, s.remedy FROM kernel.schema_facts_now() AS s),
    missing AS MATERIALIZED (
        SELECT f.fact, f.subject, f.remedy FROM kernel.schema_facts AS f
        WHERE f.fact NOT LIKE 'file %' AND NOT EXISTS (SELECT FROM present AS p WHERE p.fact = f.fact)
            -- Another version may have said the same in other words.
            AND NOT EXISTS (SELECT FROM present AS p WHERE p.remedy = f.remedy)
    )
    SELECT m.fact,
        CASE
            WHEN m.fact LIKE 'body %' THEN
                (SELECT f.remedy FROM kernel.schema_facts AS f WHERE f.fact = 'function ' || m.subject)
            -- Whoever carries it out is another role.
            WHEN m.fact LIKE '% as owner of %' THEN replace(m.remedy, 'CURRENT_USER', quote_ident(current_user))
            ELSE m.remedy
        END
    FROM missing AS m
    WHERE NOT EXISTS (
        SELECT FROM missing AS gone
        WHERE gone.fact IN (
                'table ' || m.subject, 'view ' || m.subject, 'sequence ' || m.subject, 'function ' || m.subject)
            AND gone.fact <> m.fact)
    ORDER BY m.fact
$$;

REVOKE EXECUTE ON FUNCTION kernel.schema_missing() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/schema_missing.sql', '1f67a890ac608d40');
