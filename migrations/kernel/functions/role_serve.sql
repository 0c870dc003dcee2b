-- Enters a role of a domain, with the table of its subjects: from then on accounts can be given it. Servers call it for
-- the roles that they serve when they start; a further call has no effect.
--
-- An account loses a role with the record that it is held for.
CREATE OR REPLACE FUNCTION kernel.role_serve(served text, subjects regclass DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Several servers may start at once.
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.roles', 0));
    -- The name is qualified, because no other schema is on the search path.
    INSERT INTO kernel.roles AS r (name, subject_table) VALUES (served, subjects::text)
    ON CONFLICT (name) DO UPDATE SET subject_table = excluded.subject_table
        WHERE r.subject_table IS DISTINCT FROM excluded.subject_table;
    -- Only where it is missing: creating a trigger locks the table.
    IF subjects IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = subjects AND tgname = 'kernel_account_roles')
    THEN
        EXECUTE format(
            'CREATE TRIGGER kernel_account_roles AFTER DELETE ON %s '
            'FOR EACH ROW EXECUTE FUNCTION kernel.end_subject()', subjects);
        EXECUTE format(
            'CREATE TRIGGER kernel_account_roles_truncate AFTER TRUNCATE ON %s '
            'FOR EACH STATEMENT EXECUTE FUNCTION kernel.end_subject()', subjects);
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.role_serve(text, regclass) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/role_serve.sql', 'bbd6d7b3a2ad85a8');
