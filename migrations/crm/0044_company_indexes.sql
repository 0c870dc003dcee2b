-- The indexes that begin with the company, beside those that they replace in the next file. Reads go on meanwhile. A write waits, and
-- if it waits too long it is refused as one that may be repeated.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against writes, while their indexes are built: some seconds for 300,000 rows
SELECT kernel.company_prepare(
    'public.sessions', 'public.formateurs', 'public.clients', 'public.ecoles', 'public.programmes', 'public.prospects',
    'public.relances', 'public.organisme', 'public.annonces', 'public.annonces_alertes', 'public.annonces_orphelines',
    'public.clients_fusionnes', 'public.formateurs_fusionnes', 'public.ecoles_fusionnes', 'public.references_contrat',
    'public.relances_courriels', 'public.supabase_imports');

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0044_company_indexes.sql') ON CONFLICT DO NOTHING;
