-- Who has counted is a member of the company: the references name it.
--
-- Safe from: 1.0.0
-- Locks: these tables and users against everything, while the references are checked: a second for 300,000 entries
-- The functions of the commands read some columns of users, and compare the company.
SELECT kernel.company_add('public.users');
SELECT kernel.company_keep('counting.entries', 'counting.counter_snapshots');

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0020_members.sql') ON CONFLICT DO NOTHING;
