-- Keeps the text of a session that is written. A name is read from another table only when the session is new or changes
-- its trainer or client; otherwise its part stays, which the functions below keep.
--
-- FOR SHARE lets a transaction that renames the trainer or client end first, or makes it wait for this one. Without it,
-- each of the two would miss what the other one writes. SECURITY DEFINER, because the lock requires rights to write.
CREATE OR REPLACE FUNCTION public.recherche_de_session() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    formateur text;
    client text;
    complete boolean := TG_OP = 'INSERT';
BEGIN
    IF NOT complete THEN
        complete := OLD.search_text IS NULL OR OLD.search_text IS DISTINCT FROM NEW.search_text;
        formateur := split_part(OLD.search_text, E'\n', 2);
        client := split_part(OLD.search_text, E'\n', 3);
    END IF;
    IF complete OR NEW.formateur_id IS DISTINCT FROM OLD.formateur_id THEN
        SELECT public.nom_recherche(f) INTO formateur FROM public.formateurs AS f WHERE f.id = NEW.formateur_id FOR SHARE;
    END IF;
    IF complete OR NEW.client_id IS DISTINCT FROM OLD.client_id THEN
        SELECT public.nom_recherche(c) INTO client FROM public.clients AS c WHERE c.id = NEW.client_id FOR SHARE;
    END IF;
    NEW.search_text := concat(
        kernel.search_part(
            NEW.module || ' ' || coalesce(NEW.ref_contrat, '') || ' ' || coalesce(NEW.lieu, '')),
        E'\n', formateur, E'\n', client);
    RETURN NEW;
END
$$;

REVOKE EXECUTE ON FUNCTION public.recherche_de_session() FROM PUBLIC;

-- Triggers of one event run in the order of their names: these run after `sessions_lieu`, which fills in a place.
CREATE OR REPLACE TRIGGER sessions_recherche BEFORE INSERT ON public.sessions
    FOR EACH ROW EXECUTE FUNCTION public.recherche_de_session();
-- A text that is written at psql is replaced by the right one. A text that a trigger writes comes from the function
-- below.
CREATE OR REPLACE TRIGGER sessions_recherche_update BEFORE UPDATE ON public.sessions
    FOR EACH ROW
    WHEN (
        OLD.module IS DISTINCT FROM NEW.module OR OLD.ref_contrat IS DISTINCT FROM NEW.ref_contrat
        OR OLD.lieu IS DISTINCT FROM NEW.lieu OR OLD.formateur_id IS DISTINCT FROM NEW.formateur_id
        OR OLD.client_id IS DISTINCT FROM NEW.client_id
        OR OLD.search_text IS DISTINCT FROM NEW.search_text AND pg_catalog.pg_trigger_depth() = 0
    )
    EXECUTE FUNCTION public.recherche_de_session();

SELECT kernel.note_file('crm', 'functions/recherche_de_session.sql', '1a14c51fb4cf18d0');
