-- The key and the indexes of the journal begin with the company.
--
-- Safe from: 1.0.0
-- Locks: public.journal against everything, for a moment
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.journal_pkey_company
-- Before: CREATE UNIQUE INDEX CONCURRENTLY journal_pkey_company ON public.journal (company_id, id)
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.journal_row_company
-- Before: CREATE INDEX CONCURRENTLY journal_row_company ON public.journal (company_id, table_name, row_id, id)
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.journal_at_company
-- Before: CREATE INDEX CONCURRENTLY journal_at_company ON public.journal (company_id, at, id)
CREATE UNIQUE INDEX IF NOT EXISTS journal_pkey_company ON public.journal (company_id, id);
CREATE INDEX IF NOT EXISTS journal_row_company ON public.journal (company_id, table_name, row_id, id);
CREATE INDEX IF NOT EXISTS journal_at_company ON public.journal (company_id, at, id);

ALTER TABLE public.journal
    DROP CONSTRAINT journal_pkey, ADD CONSTRAINT journal_pkey PRIMARY KEY USING INDEX journal_pkey_company;
DROP INDEX public.journal_row_idx, public.journal_at_idx;
ALTER INDEX public.journal_row_company RENAME TO journal_row_idx;
ALTER INDEX public.journal_at_company RENAME TO journal_at_idx;

COMMENT ON INDEX public.journal_pkey IS 'primary key, default order';
COMMENT ON INDEX public.journal_row_idx IS 'history of a record';
COMMENT ON INDEX public.journal_at_idx IS 'entries of a period';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0213_journal_keys.sql') ON CONFLICT DO NOTHING;
