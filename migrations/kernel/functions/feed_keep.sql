-- Puts the writes of a table with a primary key `id` into the change feed. The migrations of a domain call it for each of
-- its entities, and again when own_columns change.
--
-- own_columns: the columns that name the subject of a record, where a role reaches only its own records.
CREATE OR REPLACE FUNCTION kernel.feed_keep(kept regclass, VARIADIC own_columns text[] DEFAULT '{}') RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing text;
    has_version boolean;
    call text := 'kernel.note_feed()';
BEGIN
    SELECT name INTO missing
        FROM unnest(own_columns || ARRAY['id']) AS name
        WHERE NOT EXISTS (
            SELECT FROM pg_attribute
            WHERE attrelid = kept AND attname = name AND attnum > 0 AND NOT attisdropped);
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'the table % has no column %', kept, missing USING ERRCODE = 'undefined_column';
    END IF;
    has_version := EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = kept AND attname = 'version' AND attnum > 0 AND NOT attisdropped);
    IF cardinality(own_columns) > 0 OR NOT has_version THEN
        call := format('kernel.note_feed_with_owners(%s)',
            (SELECT string_agg(quote_literal(name), ', ') FROM unnest(own_columns) AS name));
    ELSIF EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = kept AND attname = 'company_id' AND attnum > 0 AND NOT attisdropped)
    THEN
        call := 'kernel.note_feed(''company_id'')';
    END IF;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER kernel_feed AFTER INSERT OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION %s', kept, call);
    -- An update that leaves the version as it is does not show in the feed, and does not pay for a call.
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER kernel_feed_update AFTER UPDATE ON %s FOR EACH ROW %s EXECUTE FUNCTION %s', kept,
        CASE WHEN has_version THEN 'WHEN (OLD.version IS DISTINCT FROM NEW.version OR OLD.id IS DISTINCT FROM NEW.id)' END, call);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER kernel_feed_truncate AFTER TRUNCATE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION kernel.note_feed()', kept);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.feed_keep(regclass, text[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/feed_keep.sql', '9b8077959047558f');
