-- The tables were made before rows belonged to companies.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against everything, while their indexes are built
SELECT kernel.company_keep('odd.sheets', 'odd.marks', 'odd.topics');

INSERT INTO kernel.migrations (domain, name) VALUES ('odd', '0002_companies.sql') ON CONFLICT DO NOTHING;
