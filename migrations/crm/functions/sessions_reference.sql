-- A reference that is written by hand in the form of those that sessions.attribuer_reference gives. The command waits for the
-- end of the transaction, so that it does not give the same one meanwhile; references that are written by hand do not wait for
-- each other.
--
-- It sets no search_path; instead every name is qualified. The index of references calls the same function under the caller's path,
-- and Postgres would plan that function anew for each of the two paths, twice in each write.
CREATE OR REPLACE FUNCTION public.sessions_reference() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    IF public.numero_de_reference(NEW.ref_contrat) IS NOT NULL THEN
        PERFORM pg_catalog.pg_advisory_xact_lock_shared(
            pg_catalog.hashtextextended(pg_catalog.concat('public.sessions.ref_contrat ', NEW.company_id), 0));
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER sessions_reference BEFORE INSERT OR UPDATE OF ref_contrat ON public.sessions
    FOR EACH ROW WHEN (NEW.ref_contrat LIKE 'CT-%')
    EXECUTE FUNCTION public.sessions_reference();

SELECT kernel.note_file('crm', 'functions/sessions_reference.sql', '34cac8573015831a');
