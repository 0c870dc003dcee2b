-- Makes a function the one of a command: the role of the domain's commands owns it, and only `callers` may execute it. A file
-- of functions/ calls it after CREATE OR REPLACE FUNCTION, with the signature and the database roles:
--
--     SELECT kernel.command_keep('bookshop', 'bookshop.lend_book(bigint, text)', 'learntrack_admin');
--
-- The function must be SECURITY DEFINER and set its search_path: it runs with the owner's rights, and names without a schema
-- must not be looked up where a caller could create them.
CREATE OR REPLACE FUNCTION kernel.command_keep(domain text, kept regprocedure, VARIADIC callers name[]) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    commands name := format('learntrack_%s_commands', domain);
    home regnamespace := (SELECT pronamespace FROM pg_catalog.pg_proc WHERE oid = kept);
    caller name;
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_catalog.pg_proc, unnest(proconfig) AS setting
        WHERE oid = kept AND prosecdef AND setting LIKE 'search_path=%')
    THEN
        RAISE EXCEPTION 'the function % of a command is not SECURITY DEFINER with a search_path', kept;
    END IF;
    -- An owner must be able to create the function.
    EXECUTE format('GRANT CREATE ON SCHEMA %s TO %I', home, commands);
    EXECUTE format('ALTER FUNCTION %s OWNER TO %I', kept, commands);
    EXECUTE format('REVOKE CREATE ON SCHEMA %s FROM %I', home, commands);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', kept);
    -- CREATE OR REPLACE keeps the rights that an earlier version of the file has granted.
    FOR caller IN
        SELECT DISTINCT r.rolname
        FROM pg_catalog.pg_proc AS p
        CROSS JOIN aclexplode(p.proacl) AS held
        JOIN pg_catalog.pg_roles AS r ON r.oid = held.grantee
        WHERE p.oid = kept AND held.grantee <> p.proowner AND r.rolname <> ALL (callers)
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %I', kept, caller);
    END LOOP;
    FOREACH caller IN ARRAY callers LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', kept, caller);
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.command_keep(text, regprocedure, name[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/command_keep.sql', 'ec0b51b661e457e7');
