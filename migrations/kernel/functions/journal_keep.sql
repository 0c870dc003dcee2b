-- Keeps the journal of a table with a primary key `id`. The migrations of a domain call it for each of its tables.
--
-- An update that changes the searchable text alone has no entry: it leaves the version as it is. The condition of the trigger
-- says so, because the text of a record can have names of others: a new name changes the texts of all records that have it,
-- and a call of the function costs each of them 55 µs.
--
-- secrets: the columns that no call reads. Entries show that they have changed, and not their values.
CREATE OR REPLACE FUNCTION kernel.journal_keep(kept regclass, VARIADIC secrets text[] DEFAULT '{}') RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    condition text := '';
    call text := format(
        'kernel.journal_note(%s)', (SELECT string_agg(quote_literal(name), ', ') FROM unnest(secrets) AS name));
BEGIN
    IF (SELECT count(*) = 2 FROM pg_catalog.pg_attribute
        WHERE attrelid = kept AND attname IN ('version', 'search_text') AND NOT attisdropped)
    THEN
        condition := 'WHEN (OLD.version IS DISTINCT FROM NEW.version)';
    END IF;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER kernel_journal AFTER INSERT OR DELETE ON %s '
        'FOR EACH ROW EXECUTE FUNCTION %s', kept, call);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER kernel_journal_update AFTER UPDATE ON %s '
        'FOR EACH ROW %s EXECUTE FUNCTION %s', kept, condition, call);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER kernel_journal_truncate AFTER TRUNCATE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION kernel.journal_note()', kept);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.journal_keep(regclass, text[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/journal_keep.sql', '7d14714d14d7911a');
