-- Makes the company the first column of the GIN indexes of these tables: a search reads what its own company has, however much the
-- others have. A migration calls it for tables that were made without a company, after kernel.company_keep:
--
--     SELECT kernel.company_gin('stock.orders');
--
-- Nobody reads or writes the tables while their indexes are built, which takes 20 seconds for the texts of 300,000 rows. Where that is
-- too long, the migration has them built before, by lines of its header; they have the names of the old indexes with `_company`
-- behind, and what is left takes a moment. Of a name with more than 55 bytes the end is left out. One that is not the old index with
-- the company as first column, apart from its WITH, is no prepared one, and stays:
--
--     -- Before: DROP INDEX CONCURRENTLY IF EXISTS stock.orders_search_text_idx_company
--     -- Before: CREATE INDEX CONCURRENTLY orders_search_text_idx_company ON stock.orders USING gin (company_id, search_text gin_trgm_ops) WITH (…)
CREATE OR REPLACE FUNCTION kernel.company_gin(VARIADIC tables regclass[]) RETURNS void
    LANGUAGE plpgsql SET client_min_messages = warning
AS $$
DECLARE
    index record;
    other record;
    names text[];
    definition text;
    next_name text;
BEGIN
    PERFORM kernel.company_lock('ACCESS EXCLUSIVE', VARIADIC tables);
    FOR index IN
        SELECT c.oid, i.indrelid AS home, n.nspname AS schema, c.relname::text AS name, obj_description(c.oid, 'pg_class') AS comment
        FROM pg_catalog.pg_index AS i
        JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_catalog.pg_am AS m ON m.oid = c.relam
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attname = 'company_id'
        WHERE i.indrelid = ANY (tables) AND m.amname = 'gin' AND i.indkey[0] <> a.attnum
            AND coalesce(obj_description(c.oid, 'pg_class'), '') NOT LIKE 'all companies: %'
        ORDER BY i.indrelid, c.relname
    LOOP
        -- What follows the name in the definition.
        definition := regexp_replace(
            substr(pg_get_indexdef(index.oid), length('CREATE INDEX ' || quote_ident(index.name)) + 1), 'USING gin \(',
            'USING gin (company_id, ');
        -- With the name that Postgres gives one whose name is too long.
        names := ARRAY[
            (SELECT left(index.name, max(n)) FROM generate_series(0, length(index.name)) AS n
                WHERE octet_length(left(index.name, n)) <= 55) || '_company',
            (index.name || '_company')::name::text];
        next_name := NULL;
        FOR other IN
            SELECT c.relname::text AS name, i.indisvalid AS is_valid,
                substr(pg_get_indexdef(c.oid), length('CREATE INDEX ' || quote_ident(c.relname)) + 1) AS definition
            FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
            WHERE i.indrelid = index.home AND c.oid <> index.oid AND c.relname = ANY (names)
        LOOP
            CONTINUE WHEN regexp_replace(other.definition, ' WITH \([^)]*\)', '')
                IS DISTINCT FROM regexp_replace(definition, ' WITH \([^)]*\)', '');
            IF other.is_valid AND next_name IS NULL THEN
                next_name := other.name;
            ELSE
                -- What a concurrent build has left that did not succeed.
                EXECUTE format('DROP INDEX %I.%I', index.schema, other.name);
            END IF;
        END LOOP;
        IF next_name IS NULL THEN
            next_name := format('company_gin_%s', index.oid);
            EXECUTE format('CREATE INDEX %I%s', next_name, definition);
        END IF;
        EXECUTE format('DROP INDEX %I.%I', index.schema, index.name);
        EXECUTE format('ALTER INDEX %I.%I RENAME TO %I', index.schema, next_name, index.name);
        IF index.comment IS NOT NULL THEN
            EXECUTE format('COMMENT ON INDEX %I.%I IS %L', index.schema, index.name, index.comment);
        END IF;
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_gin(regclass[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_gin.sql', 'c3b1138b6460acf9');
