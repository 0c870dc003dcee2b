-- Notes what the migrations have left: what `migrate up` calls when it has applied files.
CREATE OR REPLACE FUNCTION kernel.schema_note() RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    DELETE FROM kernel.schema_facts;
    INSERT INTO kernel.schema_facts (fact, subject, remedy)
    SELECT DISTINCT ON (s.fact) s.fact, s.subject, s.remedy FROM kernel.schema_facts_now() AS s WHERE s.is_own
    ORDER BY s.fact;
$$;

REVOKE EXECUTE ON FUNCTION kernel.schema_note() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/schema_note.sql');
