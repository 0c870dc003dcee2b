-- Notes what the migrations have left: what `migrate up` calls when it has applied files. What was missing before them, and still is,
-- stays noted: no file has brought it back, so `doctor` still names it. What somebody added before them, and what they do not give,
-- is not noted, for the same reason.
--
-- before  the facts before the files were applied; null if they are not known
-- files   the numbered files that were applied. What they drop is no loss, even if it was gone before.
CREATE OR REPLACE FUNCTION kernel.schema_note(before jsonb, files text) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    WITH present AS MATERIALIZED (
        SELECT DISTINCT ON (s.fact) s.fact, s.subject, s.remedy, s.is_own FROM kernel.schema_facts_now() AS s
        ORDER BY s.fact
    ), earlier AS MATERIALIZED (
        SELECT e.fact FROM jsonb_array_elements_text(before) AS e (fact)
    ), missing AS MATERIALIZED (
        SELECT f.fact, f.subject FROM kernel.schema_facts AS f
        WHERE NOT EXISTS (SELECT FROM present AS p WHERE p.fact = f.fact)
            AND NOT EXISTS (SELECT FROM earlier AS e WHERE e.fact = f.fact)
    ), lost AS MATERIALIZED (
        SELECT m.fact, m.subject FROM missing AS m
        WHERE NOT EXISTS (
            SELECT FROM unnest(ARRAY[
                split_part(m.subject, '(', 1),
                substring(m.fact FROM
                    '^(?:extension|column|index|constraint|trigger|enabled trigger|policy) ([^ ]+)')
            ]) AS n (name)
            -- The last part of the name, quoted for the pattern.
            WHERE files ~* (
                '\mdrop\s+(table|view|sequence|function|procedure|routine|index|trigger|policy|constraint|column|extension)'
                || '\s+(concurrently\s+)?(if\s+exists\s+)?(\w+\.)*"?'
                || regexp_replace(btrim(substring(n.name FROM '[^.]+$'), '"'), '(\W)', '\\\1', 'g') || '\M'))
    ), removed AS (
        DELETE FROM kernel.schema_facts AS f
        WHERE NOT EXISTS (SELECT FROM present AS p WHERE p.fact = f.fact)
            AND NOT EXISTS (SELECT FROM lost AS l WHERE l.fact = f.fact)
    )
    INSERT INTO kernel.schema_facts AS f (fact, subject, remedy)
    SELECT p.fact, p.subject, p.remedy FROM present AS p
    WHERE p.is_own
        -- It may have taken the place of what is lost, such as another body of a function.
        AND NOT (
            EXISTS (SELECT FROM lost AS l WHERE l.subject = p.subject)
            AND EXISTS (SELECT FROM earlier AS e WHERE e.fact = p.fact))
        AND NOT (
            (p.remedy LIKE 'GRANT %' OR p.fact LIKE 'policy %' OR p.fact LIKE 'rights of the owner in %'
                OR p.fact LIKE 'trigger %' OR p.fact LIKE 'enabled trigger %')
            AND EXISTS (SELECT FROM earlier AS e WHERE e.fact = p.fact)
            AND EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.subject = p.subject)
            AND NOT EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.fact = p.fact)
            -- A file gives it, too.
            AND NOT files ~* (
                '\m' || regexp_replace(
                    btrim(substring(split_part(p.subject, '(', 1) FROM '[^.]+$'), '"'), '(\W)', '\\\1', 'g') || '\M')
            -- A file that was applied by hand, or before a run that was cut off, may have given it.
            AND NOT EXISTS (
                SELECT FROM earlier AS e
                WHERE e.fact LIKE 'file %' AND NOT EXISTS (SELECT FROM kernel.schema_facts AS f WHERE f.fact = e.fact)))
    ON CONFLICT ON CONSTRAINT schema_facts_pkey DO UPDATE SET subject = excluded.subject, remedy = excluded.remedy
    WHERE (f.subject, f.remedy) IS DISTINCT FROM (excluded.subject, excluded.remedy)
$$;

REVOKE EXECUTE ON FUNCTION kernel.schema_note(jsonb, text) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/schema_note.sql', '01bc4ce468af3938');
