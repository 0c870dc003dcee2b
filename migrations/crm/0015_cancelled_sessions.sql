-- Deleted sessions, which calendars show as cancelled, are found in the journal.
--
-- Safe from: 1.0.0
-- Locks: journal against writes, while an index of deleted sessions is built: seconds for millions of entries
CREATE INDEX journal_sessions_annulees_idx ON public.journal (at)
    WHERE table_name = 'sessions' AND operation = 'delete';
COMMENT ON INDEX public.journal_sessions_annulees_idx IS 'the sessions that were deleted lately, for calendars';

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0015_cancelled_sessions.sql') ON CONFLICT DO NOTHING;
