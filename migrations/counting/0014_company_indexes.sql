-- The indexes that begin with the company, beside those that they replace in the next file. Reads go on meanwhile. A write waits, and
-- if it waits too long it is refused as one that may be repeated.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against writes, while their indexes are built: some seconds for 300,000 rows
SELECT kernel.company_prepare(
    'counting.locations', 'counting.devices', 'counting.entries', 'counting.counter_states', 'counting.counter_snapshots',
    'counting.days', 'counting.hours', 'counting.minutes', 'counting.device_presences');

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0014_company_indexes.sql') ON CONFLICT DO NOTHING;
