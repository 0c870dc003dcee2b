-- What Postgres knows of the companies of a table when it plans. `migrate up` calls it after it has applied files, and companies_enable.
--
-- A table that has got its column with a migration has no statistics about it: Postgres would take each company for one of two hundred,
-- and nothing but many further writes would let autovacuum look. Such a table is analyzed.
--
-- With several companies, the plan of a statement is one for all of them, and knows only how many rows a company has on average. For
-- an average of twenty clients Postgres reads all clients of the company to show those of fifty sessions, which is slow in a company that
-- has 2,000. So the tables that others refer to are said to have 2,000 rows of each company, however large they are: then it looks the
-- fifty up by their keys, which is as fast in a small company. Tables that nothing refers to keep the true average. A number of
-- companies that somebody has set (ALTER COLUMN company_id SET (n_distinct = …)) stays.
--
-- Locks the tables against changes of their definition, and no call. A table that is being vacuumed is left for the next time.
CREATE OR REPLACE FUNCTION kernel.company_statistics() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s'
AS $$
DECLARE
    kept record;
BEGIN
    FOR kept IN
        SELECT h.home,
            i.is_enabled AND c.relkind = 'r' AND NOT coalesce(a.attoptions::text LIKE '%n_distinct=%', false)
                AND EXISTS (
                    SELECT FROM pg_constraint AS k
                    WHERE k.contype = 'f' AND k.confrelid = h.home AND a.attnum = ANY (k.confkey) AND cardinality(k.confkey) > 1)
                AS is_average,
            pg_relation_size(h.home) > 0 AND NOT EXISTS (
                SELECT FROM pg_stats AS s
                WHERE s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = 'company_id') AS is_unknown
        FROM kernel.company_homes() AS h
        JOIN pg_class AS c ON c.oid = h.home
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_attribute AS a ON a.attrelid = h.home AND a.attname = 'company_id'
        CROSS JOIN (SELECT EXISTS (SELECT FROM kernel.installation WHERE enabled_at IS NOT NULL) AS is_enabled) AS i
        ORDER BY h.place
    LOOP
        BEGIN
            IF kept.is_average THEN
                EXECUTE format('ALTER TABLE %s ALTER COLUMN company_id SET (n_distinct = -0.0005)', kept.home);
            END IF;
            IF kept.is_average OR kept.is_unknown THEN
                EXECUTE format('ANALYZE %s', kept.home);
            END IF;
        EXCEPTION WHEN lock_not_available THEN
            RAISE WARNING 'the table % is being vacuumed: it is analyzed the next time', kept.home;
        END;
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_statistics() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_statistics.sql', '744a3f61c5b83199');
