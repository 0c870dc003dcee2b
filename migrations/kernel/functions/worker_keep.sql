-- Makes a function one that the workers of the server call: what a notice or a job of a domain names. Like the function of a
-- command it is SECURITY DEFINER with a search_path, and the role of the domain's commands owns it. No role of an account
-- may execute it.
--
--     SELECT kernel.worker_keep('bookshop', 'bookshop.reminder_sent(bigint, jsonb)');
CREATE OR REPLACE FUNCTION kernel.worker_keep(domain text, kept regprocedure) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM kernel.command_keep(domain, kept, 'learntrack_worker');
    EXECUTE format(
        'GRANT USAGE ON SCHEMA %s TO learntrack_worker',
        (SELECT pronamespace::regnamespace FROM pg_catalog.pg_proc WHERE oid = kept));
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.worker_keep(text, regprocedure) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/worker_keep.sql', '2f9fafbdc9f28e46');
