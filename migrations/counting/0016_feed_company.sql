-- The triggers of the change feed know that these tables have a company: they read it without making JSON of the row.
--
-- Safe from: 1.0.0
-- Locks: these tables against writes, for a moment
SELECT kernel.company_lock(
    'SHARE ROW EXCLUSIVE', 'counting.locations', 'counting.counter_states', 'counting.counter_snapshots');
SELECT kernel.feed_keep('counting.locations'), kernel.feed_keep('counting.counter_states'),
    kernel.feed_keep('counting.counter_snapshots');

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0016_feed_company.sql') ON CONFLICT DO NOTHING;
