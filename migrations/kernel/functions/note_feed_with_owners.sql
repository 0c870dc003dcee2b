-- Adds the written row to the change feed; for tables without a column `version`, and for tables with records that belong to
-- subjects: the arguments of the trigger are the columns that name the subject.
CREATE OR REPLACE FUNCTION kernel.note_feed_with_owners() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    new_row jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    present jsonb := coalesce(new_row, old_row);
    owned jsonb;
BEGIN
    IF TG_OP = 'UPDATE' AND new_row -> 'id' <> old_row -> 'id' THEN
        INSERT INTO kernel.changes (company_id, table_name, row_id, operation, version, owned)
        SELECT (present ->> 'company_id')::bigint, TG_TABLE_NAME, (e.change ->> 'id')::bigint, e.operation, (e.change ->> 'version')::bigint, (
            SELECT jsonb_object_agg(own_column, jsonb_build_array(e.change -> own_column))
            FROM unnest(TG_ARGV) AS own_column)
        FROM (VALUES (1, 'delete', old_row), (2, 'create', new_row)) AS e (place, operation, change)
        ORDER BY e.place;
        RETURN NULL;
    END IF;
    IF TG_NARGS > 0 THEN
        SELECT jsonb_object_agg(
                own_column,
                CASE WHEN old_row -> own_column IS DISTINCT FROM present -> own_column AND TG_OP = 'UPDATE'
                    THEN jsonb_build_array(present -> own_column, old_row -> own_column)
                    ELSE jsonb_build_array(present -> own_column)
                END)
            INTO owned
            FROM unnest(TG_ARGV) AS own_column;
    END IF;
    IF TG_OP = 'UPDATE' AND new_row ? 'version' AND new_row -> 'version' = old_row -> 'version' THEN
        RETURN NULL;
    END IF;
    INSERT INTO kernel.changes (company_id, table_name, row_id, operation, version, owned)
    VALUES (
        (present ->> 'company_id')::bigint, TG_TABLE_NAME, (present ->> 'id')::bigint,
        CASE TG_OP WHEN 'INSERT' THEN 'create' ELSE lower(TG_OP) END, (present ->> 'version')::bigint, owned);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.note_feed_with_owners() FROM PUBLIC;

-- The kernel's own tables without a version: a page that shows a request follows what its signatories do.
SELECT kernel.feed_keep('kernel.signatures'), kernel.feed_keep('kernel.signatories');

SELECT kernel.note_file('kernel', 'functions/note_feed_with_owners.sql', 'fd827b44958fcd6e');
