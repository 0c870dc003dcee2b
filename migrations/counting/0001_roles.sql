-- The schema of the people counters, the database roles of the domain, and the role that owns the functions of its commands.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE SCHEMA counting;

SELECT kernel.role_keep('learntrack_counting_viewer'), kernel.role_keep('learntrack_counting_device');
SELECT kernel.commands_role('counting');
GRANT USAGE ON SCHEMA counting
    TO learntrack_admin, learntrack_counting_viewer, learntrack_counting_device, learntrack_counting_commands;

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0001_roles.sql') ON CONFLICT DO NOTHING;
