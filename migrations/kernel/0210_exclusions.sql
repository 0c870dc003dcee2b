-- Exclusion constraints compare companies, too: `EXCLUDE USING gist (company_id WITH =, period WITH &&)`.
--
-- Safe from: 1.0.0
-- Locks: nothing
CREATE EXTENSION IF NOT EXISTS btree_gist;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0210_exclusions.sql') ON CONFLICT DO NOTHING;
