-- What every table of a domain has, in one call after CREATE TABLE, and again after a later migration has added a foreign key:
--
--     SELECT kernel.table_keep('bookshop.wishes', own_columns => '{reader_id}');
--
-- the columns created_at, updated_at and version, where they are missing, and the trigger that counts the changes; an index for each
-- foreign key without one; row-level security; the journal and the change feed. What is there already stays as it is: a further call
-- replaces the triggers of the journal or the feed only if it gives their columns.
--
-- own_columns: the columns that name the subject of a record, where a role reaches only its own records, for the feed; NULL: none.
-- secrets: the columns that no call reads, for the journal; NULL: none.
-- in_journal, in_feed: false where the declaration says isInJournal: false, isInFeed: false.
CREATE OR REPLACE FUNCTION kernel.table_keep(
    kept regclass, own_columns text[] DEFAULT NULL, secrets text[] DEFAULT NULL, in_journal boolean DEFAULT true,
    in_feed boolean DEFAULT true)
    RETURNS void
    LANGUAGE plpgsql SET client_min_messages = warning
AS $$
DECLARE
    short name;
    home name;
    key record;
    index_name name;
BEGIN
    SELECT c.relname, n.nspname INTO short, home
        FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = kept;
    EXECUTE format(
        'ALTER TABLE %1$s ADD COLUMN IF NOT EXISTS created_at timestamptz NOT NULL DEFAULT now() '
        'CONSTRAINT %2$I CHECK (kernel.is_instant(created_at)), '
        'ADD COLUMN IF NOT EXISTS updated_at timestamptz NOT NULL DEFAULT now() '
        'CONSTRAINT %3$I CHECK (kernel.is_instant(updated_at)), '
        'ADD COLUMN IF NOT EXISTS version integer NOT NULL DEFAULT 1 CONSTRAINT %4$I CHECK (version >= 1)',
        kept, short || '_created_at_check', short || '_updated_at_check', short || '_version_check');
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid = kept AND tgfoid = 'kernel.note_change'::regproc) THEN
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION kernel.note_change()', short || '_change', kept);
    END IF;
    -- Relations read the records of a key in the order of their ids.
    FOR key IN
        SELECT k.conname, a.attname AS first_column, c.attnum IS NOT NULL AS has_company
        FROM pg_catalog.pg_constraint AS k
        LEFT JOIN pg_catalog.pg_attribute AS c ON c.attrelid = k.conrelid AND c.attname = 'company_id'
        -- The first column after that of the company.
        CROSS JOIN LATERAL (
            SELECT p.number FROM unnest(k.conkey) WITH ORDINALITY AS p (number, place)
            WHERE p.number IS DISTINCT FROM c.attnum ORDER BY p.place LIMIT 1
        ) AS named
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = named.number
        WHERE k.conrelid = kept AND k.contype = 'f' AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_index AS i
            WHERE i.indrelid = k.conrelid AND i.indisvalid AND i.indpred IS NULL
                AND CASE WHEN i.indkey[0] = c.attnum THEN i.indkey[1] ELSE i.indkey[0] END = named.number)
        ORDER BY k.conname
    LOOP
        index_name := format('%s_%s_idx', short, key.first_column);
        EXECUTE format(
            'CREATE INDEX %I ON %s (%s%I, id)', index_name, kept, CASE WHEN key.has_company THEN 'company_id, ' ELSE '' END,
            key.first_column);
        EXECUTE format('COMMENT ON INDEX %I.%I IS %L', home, index_name, 'foreign key');
    END LOOP;
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', kept);
    IF in_journal AND (secrets IS NOT NULL OR (
        SELECT count(*) FROM pg_catalog.pg_trigger
        WHERE tgrelid = kept AND tgname IN ('kernel_journal', 'kernel_journal_update', 'kernel_journal_truncate')) < 3)
    THEN
        PERFORM kernel.journal_keep(kept, VARIADIC coalesce(secrets, '{}'));
    END IF;
    IF in_feed AND (own_columns IS NOT NULL OR (
        SELECT count(*) FROM pg_catalog.pg_trigger
        WHERE tgrelid = kept AND tgname IN ('kernel_feed', 'kernel_feed_update', 'kernel_feed_truncate')) < 3)
    THEN
        PERFORM kernel.feed_keep(kept, VARIADIC coalesce(own_columns, '{}'));
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.table_keep(regclass, text[], text[], boolean, boolean) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/table_keep.sql', '29a25b2df19891ee');
