-- The index of the deleted sessions in the journal begins with the company.
--
-- Safe from: 1.0.0
-- Locks: public.journal against everything, for a moment
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.journal_sessions_annulees_company
-- Before: CREATE INDEX CONCURRENTLY journal_sessions_annulees_company ON public.journal (company_id, at) WHERE table_name = 'sessions' AND operation = 'delete'
CREATE INDEX IF NOT EXISTS journal_sessions_annulees_company ON public.journal (company_id, at)
    WHERE table_name = 'sessions' AND operation = 'delete';
DROP INDEX public.journal_sessions_annulees_idx;
ALTER INDEX public.journal_sessions_annulees_company RENAME TO journal_sessions_annulees_idx;

COMMENT ON INDEX public.journal_sessions_annulees_idx IS 'the sessions that were deleted lately, for calendars';

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0046_cancelled_sessions_company.sql') ON CONFLICT DO NOTHING;
