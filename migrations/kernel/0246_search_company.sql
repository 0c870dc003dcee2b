-- The index of the search among members begins with the company. btree_gin lets GIN indexes have it; any login that may create objects
-- in the database may create this extension. It is in the schema of pg_trgm: some services keep extensions out of public.
--
-- Safe from: 1.0.0
-- Locks: users against everything, for a moment
-- Before: SELECT set_config('search_path', (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'pg_trgm') || ', public', false)
-- Before: CREATE EXTENSION IF NOT EXISTS btree_gin
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.users_search_text_idx_company
-- Before: CREATE INDEX CONCURRENTLY users_search_text_idx_company ON public.users USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 256)
-- Before: RESET search_path
DO $$
DECLARE
    extensions text := (SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm');
BEGIN
    EXECUTE format('CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA %s', extensions);
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS users_search_text_idx_company ON public.users '
        'USING gin (company_id, search_text %s.gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 256)', extensions);
END
$$;
SELECT kernel.company_lock('ACCESS EXCLUSIVE', 'public.users');
DROP INDEX public.users_search_text_idx;
ALTER INDEX public.users_search_text_idx_company RENAME TO users_search_text_idx;

COMMENT ON INDEX public.users_search_text_idx IS 'search, and patterns in the columns that it searches';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0246_search_company.sql') ON CONFLICT DO NOTHING;
