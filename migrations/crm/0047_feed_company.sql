-- The triggers of the change feed know that these tables have a company: they read it without making JSON of the row.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against writes, for a moment
SELECT kernel.company_lock(
    'SHARE ROW EXCLUSIVE', 'public.sessions', 'public.formateurs', 'public.clients', 'public.ecoles', 'public.programmes',
    'public.prospects', 'public.relances', 'public.organisme');
SELECT kernel.feed_keep(kept)
FROM unnest(ARRAY[
    'public.sessions', 'public.formateurs', 'public.clients', 'public.ecoles', 'public.programmes', 'public.prospects',
    'public.relances', 'public.organisme']::regclass[]) AS kept;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0047_feed_company.sql') ON CONFLICT DO NOTHING;
