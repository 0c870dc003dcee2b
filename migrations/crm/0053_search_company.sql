-- The indexes of searches begin with the company: a search reads the texts of its own company alone.
--
-- Safe from: 1.0.0
-- Locks: each table of the domain that is searched against everything, for a moment
-- Before: SELECT set_config('search_path', (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'pg_trgm') || ', public', false)
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.sessions_search_text_idx_company
-- Before: CREATE INDEX CONCURRENTLY sessions_search_text_idx_company ON public.sessions USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 256)
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.formateurs_search_text_idx_company
-- Before: CREATE INDEX CONCURRENTLY formateurs_search_text_idx_company ON public.formateurs USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 256)
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.clients_search_text_idx_company
-- Before: CREATE INDEX CONCURRENTLY clients_search_text_idx_company ON public.clients USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 256)
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.ecoles_search_text_idx_company
-- Before: CREATE INDEX CONCURRENTLY ecoles_search_text_idx_company ON public.ecoles USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 256)
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.programmes_search_text_idx_company
-- Before: CREATE INDEX CONCURRENTLY programmes_search_text_idx_company ON public.programmes USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 256)
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.prospects_search_text_idx_company
-- Before: CREATE INDEX CONCURRENTLY prospects_search_text_idx_company ON public.prospects USING gin (company_id, search_text gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 256)
-- Before: RESET search_path
SELECT kernel.company_gin(
    'public.sessions', 'public.formateurs', 'public.clients', 'public.ecoles', 'public.programmes', 'public.prospects');

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0053_search_company.sql') ON CONFLICT DO NOTHING;
