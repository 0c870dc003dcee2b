-- The writes of these tables show in the change feed.

SELECT kernel.feed_keep(kept) FROM unnest(ARRAY['sessions', 'formateurs', 'clients', 'ecoles']::regclass[]) AS kept;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0008_feed.sql') ON CONFLICT DO NOTHING;
