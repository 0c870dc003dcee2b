-- Search: parts of words, without regard to case and accents. The compared text is computed when a record is written.
--
-- The text is a column of the record, `search_text`. Measured with 100,000 records against a table beside it with one
-- row for each record: testing the first 500 records of an order takes 0.4 ms instead of 2 to 3 ms, because the row is
-- read anyway, and the texts with their index take 35 MB instead of 41 MB. The price is that `SELECT *` shows the column.
--
-- Numbered, because the stored texts rest on these functions.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;

-- The text without accents and in lower case. Marked IMMUTABLE so that indexes may hold it, though unaccent() by
-- itself is not (an administrator may edit its rules, and must then REINDEX). PL/pgSQL, because it runs an
-- expression at half the price of an SQL function that Postgres cannot inline. What unaccent leaves is ASCII nearly
-- always, and lower() of the collation C is the cheapest; other scripts take the one that knows them.
--
-- The extension's schema is looked up: some services keep extensions out of public.
DO $$
BEGIN
    EXECUTE format(
        $function$
            CREATE FUNCTION kernel.without_accents(value text) RETURNS text
                LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
            AS $body$
            DECLARE
                bare text := %1$s.unaccent('%1$s.unaccent'::pg_catalog.regdictionary, value);
            BEGIN
                IF pg_catalog.octet_length(bare) = pg_catalog.length(bare) THEN
                    RETURN pg_catalog.lower(bare COLLATE pg_catalog."C");
                END IF;
                RETURN pg_catalog.lower(bare COLLATE pg_catalog."und-x-icu");
            END
            $body$
        $function$,
        (SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension WHERE extname = 'unaccent')
    );
END
$$;

-- A part of a text that consists of several. Parts are separated by line feeds, so that no word matches across two
-- parts: the words of a search are separated by white space and hence contain no line feed.
CREATE FUNCTION kernel.search_part(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN translate(kernel.without_accents(value), E'\n', E'\x0B');

-- Gives a table its searchable text and the trigram index on it. The migrations of a domain call it. The text is a column
-- of the table, `search_text`, and the function `searchable`, in the schema of the table, returns it.
--
-- `expression` is over the columns of the table. Without one, the table has the column already, and triggers
-- that keep it.
--
-- Inserts put their trigrams into a list of at most 256 kB, which the index takes in as a whole. A search reads the list.
-- Measured with 100,000 records: an insert takes 170 µs with it, 246 with a list of 64 kB, 142 with 512 kB, 378 without a
-- list, 74 without the index. A full list costs a search 0.1 ms, one of 512 kB 0.4 ms.
CREATE FUNCTION kernel.search_keep(kept regclass, expression text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    name text := (SELECT relname FROM pg_catalog.pg_class WHERE oid = kept) || '_search_text_idx';
    schema text := (SELECT relnamespace::regnamespace FROM pg_catalog.pg_class WHERE oid = kept);
    -- Some services keep extensions out of public.
    opclass text := (
        SELECT extnamespace::regnamespace::text || '.gin_trgm_ops'
        FROM pg_catalog.pg_extension
        WHERE extname = 'pg_trgm'
    );
BEGIN
    IF expression IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s ADD COLUMN search_text text GENERATED ALWAYS AS (%s) STORED', kept, expression);
    END IF;
    -- Postgres puts the column in the place of the call.
    EXECUTE format(
        'CREATE FUNCTION %s.searchable(%s) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE '
        'RETURN ($1).search_text', schema, kept);
    EXECUTE format(
        'CREATE INDEX %I ON %s USING gin (search_text %s) WITH (fastupdate = on, gin_pending_list_limit = 256)',
        name, kept, opclass);
    EXECUTE format(
        'COMMENT ON INDEX %s.%I IS %L', schema, name, 'search, and patterns in the columns that it searches');
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.search_keep(regclass, text) FROM PUBLIC;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0003_search.sql') ON CONFLICT DO NOTHING;
