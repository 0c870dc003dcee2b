-- The indexes that begin with the company, beside those that they replace in the next file.
--
-- Safe from: 1.0.0
-- Locks: each table of the domain against writes, while its indexes are built: five seconds for 300,000 rows
SELECT kernel.company_prepare(
    'counting.locations', 'counting.devices', 'counting.entries', 'counting.counter_states', 'counting.counter_snapshots',
    'counting.days', 'counting.hours', 'counting.minutes', 'counting.device_presences');

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0011_company_indexes.sql') ON CONFLICT DO NOTHING;
