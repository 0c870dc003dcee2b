-- Who is responsible for a prospect, or gets a mail, is a member of the company: the references name it.
--
-- Safe from: 1.0.0
-- Locks: these tables and users against everything, while the references are checked: a second for 300,000 prospects
-- The functions of the commands read some columns of users, and compare the company.
SELECT kernel.company_add('public.users');
SELECT kernel.company_keep('public.prospects', 'public.relances_courriels', 'public.annonces_alertes');

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0050_members.sql') ON CONFLICT DO NOTHING;
