-- Deleted sessions, which calendars show as cancelled, are found in the journal.
CREATE INDEX journal_sessions_annulees_idx ON public.journal (at)
    WHERE table_name = 'sessions' AND operation = 'delete';
COMMENT ON INDEX public.journal_sessions_annulees_idx IS 'the sessions that were deleted lately, for calendars';

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0015_cancelled_sessions.sql') ON CONFLICT DO NOTHING;
