-- The writes of these tables show in the change feed.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against writes, for a moment

SELECT kernel.feed_keep(kept) FROM unnest(ARRAY['sessions', 'formateurs', 'clients', 'ecoles']::regclass[]) AS kept;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0008_feed.sql') ON CONFLICT DO NOTHING;
