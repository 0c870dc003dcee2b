-- Keys, indexes and foreign keys begin with the company: an id is unique in its company, and no row refers to a row of another.
--
-- Safe from: 1.0.0
-- Locks: each table of the domain against everything, while foreign keys are checked: two seconds for 300,000 rows
SELECT kernel.company_keep(
    'public.sessions', 'public.formateurs', 'public.clients', 'public.ecoles', 'public.programmes', 'public.prospects',
    'public.relances', 'public.organisme', 'public.annonces', 'public.annonces_alertes', 'public.annonces_orphelines',
    'public.clients_fusionnes', 'public.formateurs_fusionnes', 'public.ecoles_fusionnes', 'public.references_contrat',
    'public.relances_courriels', 'public.supabase_imports');

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0045_company_keys.sql') ON CONFLICT DO NOTHING;
