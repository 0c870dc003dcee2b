-- Keys, indexes and foreign keys begin with the company: an id is unique in its company, and no row refers to a row of another.
--
-- Safe from: 1.0.0
-- Locks: each table of the domain against everything, while foreign keys are checked: two seconds for 300,000 rows
SELECT kernel.company_keep(
    'counting.locations', 'counting.devices', 'counting.entries', 'counting.counter_states', 'counting.counter_snapshots',
    'counting.days', 'counting.hours', 'counting.minutes', 'counting.device_presences');

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0015_company_keys.sql') ON CONFLICT DO NOTHING;
