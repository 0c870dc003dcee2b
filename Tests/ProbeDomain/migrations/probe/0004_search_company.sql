-- The indexes of searches begin with the company.
--
-- Safe from: 1.0.0
-- Locks: these tables against everything, while their indexes are built
SELECT kernel.company_gin('probe.gardeners', 'probe.plots');

INSERT INTO kernel.migrations (domain, name) VALUES ('probe', '0004_search_company.sql') ON CONFLICT DO NOTHING;
