-- The company of each row. Existing rows belong to the first company.
--
-- Safe from: 1.0.0
-- Locks: each table of the domain against everything, for a moment
SELECT kernel.company_add(
    'public.sessions', 'public.formateurs', 'public.clients', 'public.ecoles', 'public.programmes', 'public.prospects',
    'public.relances', 'public.organisme', 'public.annonces', 'public.annonces_alertes', 'public.annonces_orphelines',
    'public.clients_fusionnes', 'public.formateurs_fusionnes', 'public.ecoles_fusionnes', 'public.references_contrat',
    'public.relances_courriels', 'public.supabase_imports');

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0040_company_columns.sql') ON CONFLICT DO NOTHING;
