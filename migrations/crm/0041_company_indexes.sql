-- The indexes that begin with the company, beside those that they replace in the next file.
--
-- Safe from: 1.0.0
-- Locks: each table of the domain against writes, while its indexes are built: five seconds for 300,000 rows
SELECT kernel.company_prepare(
    'public.sessions', 'public.formateurs', 'public.clients', 'public.ecoles', 'public.programmes', 'public.prospects',
    'public.relances', 'public.organisme', 'public.annonces', 'public.annonces_alertes', 'public.annonces_orphelines',
    'public.clients_fusionnes', 'public.formateurs_fusionnes', 'public.ecoles_fusionnes', 'public.references_contrat',
    'public.relances_courriels', 'public.supabase_imports');

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0041_company_indexes.sql') ON CONFLICT DO NOTHING;
