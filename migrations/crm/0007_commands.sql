-- The role that owns the functions of the commands, and what they may do.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

SELECT kernel.commands_role('crm');

GRANT SELECT, UPDATE, DELETE ON public.formateurs, public.clients, public.ecoles TO learntrack_crm_commands;
GRANT SELECT, INSERT, UPDATE ON public.sessions TO learntrack_crm_commands;
GRANT USAGE ON SEQUENCE public.sessions_id_seq TO learntrack_crm_commands;

CREATE POLICY sessions_commands ON public.sessions TO learntrack_crm_commands USING (true);
CREATE POLICY formateurs_commands ON public.formateurs TO learntrack_crm_commands USING (true);
CREATE POLICY clients_commands ON public.clients TO learntrack_crm_commands USING (true);
CREATE POLICY ecoles_commands ON public.ecoles TO learntrack_crm_commands USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0007_commands.sql') ON CONFLICT DO NOTHING;
