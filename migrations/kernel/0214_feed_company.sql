-- Each change in the feed belongs to the company of its record. Null: the record belongs to none, or all records of the table are gone,
-- and every company learns of it, as of changes of before.
--
-- Safe from: 1.0.0
-- Locks: kernel.changes against everything, for a moment
ALTER TABLE kernel.changes ADD COLUMN company_id bigint;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0214_feed_company.sql') ON CONFLICT DO NOTHING;
