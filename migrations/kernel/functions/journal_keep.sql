-- Keeps the journal of a table with a primary key `id`. The migrations of a domain call it for each of its tables, and again
-- when the columns of a table change.
--
-- An update that changes the searchable text alone has no entry. The condition of the trigger says so, because the text of a
-- record can have names of others: a new name changes the texts of all records that have it, and a call of the function
-- costs each of them 55 µs.
CREATE OR REPLACE FUNCTION kernel.journal_keep(kept regclass) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    -- Compared from left to right: `version` differs in nearly every update.
    columns name[] := (
        SELECT array_agg(attname ORDER BY attname <> 'version', attnum) FROM pg_catalog.pg_attribute
        WHERE attrelid = kept AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('updated_at', 'texte_recherche'));
    has_search_text boolean := EXISTS (
        SELECT FROM pg_catalog.pg_attribute
        WHERE attrelid = kept AND attname = 'texte_recherche' AND NOT attisdropped);
    condition text := '';
BEGIN
    IF has_search_text THEN
        condition := format(
            'WHEN (%s)',
            (SELECT string_agg(format('OLD.%1$I IS DISTINCT FROM NEW.%1$I', name), ' OR ') FROM unnest(columns) AS name));
    END IF;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER journal_row AFTER INSERT OR DELETE ON %s '
        'FOR EACH ROW EXECUTE FUNCTION kernel.journal_note()', kept);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER journal_row_change AFTER UPDATE ON %s '
        'FOR EACH ROW %s EXECUTE FUNCTION kernel.journal_note()', kept, condition);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER journal_table AFTER TRUNCATE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION kernel.journal_note()', kept);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.journal_keep(regclass) FROM PUBLIC;
