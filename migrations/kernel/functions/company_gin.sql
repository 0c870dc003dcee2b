-- Makes the company the first column of the GIN indexes of these tables: a search reads what its own company has, however much the
-- others have. A migration calls it for tables that were made without a company, after kernel.company_keep:
--
--     SELECT kernel.company_gin('stock.orders');
--
-- Nobody reads or writes the tables while their indexes are built, which takes 20 seconds for the texts of 300,000 rows. Where that is
-- too long, the migration has them built before, by lines of its header; they have the names of the old indexes with `_company`
-- behind, and what is left takes a moment:
--
--     -- Before: DROP INDEX CONCURRENTLY IF EXISTS stock.orders_search_text_idx_company
--     -- Before: CREATE INDEX CONCURRENTLY orders_search_text_idx_company ON stock.orders USING gin (company_id, search_text gin_trgm_ops) WITH (…)
CREATE OR REPLACE FUNCTION kernel.company_gin(VARIADIC tables regclass[]) RETURNS void
    LANGUAGE plpgsql SET client_min_messages = warning
AS $$
DECLARE
    index record;
BEGIN
    PERFORM kernel.company_lock('ACCESS EXCLUSIVE', VARIADIC tables);
    FOR index IN
        SELECT n.nspname AS schema, c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
            regexp_replace(
                regexp_replace(pg_get_indexdef(c.oid), '(USING gin \()', '\1company_id, '),
                ' INDEX \S+ ON ', format(' INDEX %I ON ', c.relname || '_company')) AS definition,
            EXISTS (
                SELECT FROM pg_catalog.pg_index AS ready JOIN pg_catalog.pg_class AS p ON p.oid = ready.indexrelid
                WHERE ready.indrelid = i.indrelid AND ready.indisvalid AND p.relname = c.relname || '_company'
            ) AS is_prepared
        FROM pg_catalog.pg_index AS i
        JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_catalog.pg_am AS m ON m.oid = c.relam
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attname = 'company_id'
        WHERE i.indrelid = ANY (tables) AND m.amname = 'gin' AND i.indkey[0] <> a.attnum
            AND coalesce(obj_description(c.oid, 'pg_class'), '') NOT LIKE 'all companies: %'
        ORDER BY i.indrelid, c.relname
    LOOP
        IF NOT index.is_prepared THEN
            EXECUTE format('DROP INDEX IF EXISTS %I.%I', index.schema, index.name || '_company');
            EXECUTE index.definition;
        END IF;
        EXECUTE format('DROP INDEX %I.%I', index.schema, index.name);
        EXECUTE format('ALTER INDEX %I.%I RENAME TO %I', index.schema, index.name || '_company', index.name);
        IF index.comment IS NOT NULL THEN
            EXECUTE format('COMMENT ON INDEX %I.%I IS %L', index.schema, index.name, index.comment);
        END IF;
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_gin(regclass[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_gin.sql', 'a45174303236ff54');
