-- The tables were made before rows belonged to companies.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against everything, while their indexes are built
SELECT kernel.company_keep(
    'probe.gardeners', 'probe.hooks', 'probe.gardens', 'probe.plots', 'probe.crops', 'probe.plantings', 'probe.harvests',
    'probe.observations', 'probe.presences', 'probe.greenhouse_bookings', 'probe.seasons');

INSERT INTO kernel.migrations (domain, name) VALUES ('probe', '0003_companies.sql') ON CONFLICT DO NOTHING;
