-- Creates the role that owns the functions of a domain's commands, learntrack_<domain>_commands, where it is missing: what a
-- numbered migration of the domain calls before it grants the role rights to the tables that its commands read and write,
-- with a policy for each. No client acts in this role.
CREATE OR REPLACE FUNCTION kernel.commands_role(domain text) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    commands name := format('learntrack_%s_commands', domain);
BEGIN
    PERFORM kernel.role_keep(commands);
    EXECUTE format('REVOKE SELECT ON public.journal FROM %I', commands);
    EXECUTE format('GRANT EXECUTE ON FUNCTION kernel.send(text, bigint, timestamptz, text) TO %I', commands);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.commands_role(text) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/commands_role.sql', '0543f10aae171ace');
