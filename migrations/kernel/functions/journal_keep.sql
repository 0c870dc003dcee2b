-- Keeps the journal of a table with a primary key `id`. The migrations of a domain call it for each of its tables.
CREATE OR REPLACE FUNCTION kernel.journal_keep(kept regclass) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER journal_row AFTER INSERT OR UPDATE OR DELETE ON %s '
        'FOR EACH ROW EXECUTE FUNCTION kernel.journal_note()', kept);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER journal_table AFTER TRUNCATE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION kernel.journal_note()', kept);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.journal_keep(regclass) FROM PUBLIC;
