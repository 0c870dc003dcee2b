-- The functions of the commands tell members from people who are invited.
--
-- Safe from: 1.0.0
-- Locks: nothing that is in use
GRANT SELECT (is_member) ON public.users TO learntrack_crm_commands;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0052_invited_members.sql') ON CONFLICT DO NOTHING;
