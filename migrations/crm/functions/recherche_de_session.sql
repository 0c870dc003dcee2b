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
        -- A text that is written at psql is replaced by the right one. A text that a trigger writes comes from
        -- recherche_renomme.
        IF (OLD.module, OLD.ref_contrat, OLD.lieu, OLD.formateur_id, OLD.client_id)
            IS NOT DISTINCT FROM (NEW.module, NEW.ref_contrat, NEW.lieu, NEW.formateur_id, NEW.client_id)
            AND (OLD.search_text IS NOT DISTINCT FROM NEW.search_text OR pg_trigger_depth() > 1)
        THEN
            RETURN NEW;
        END IF;
        complete := OLD.search_text IS NULL OR OLD.search_text IS DISTINCT FROM NEW.search_text;
        formateur := split_part(OLD.search_text, E'\n', 2);
        client := split_part(OLD.search_text, E'\n', 3);
    END IF;
    IF complete OR NEW.formateur_id IS DISTINCT FROM OLD.formateur_id THEN
        SELECT public.nom_recherche(f) INTO formateur FROM public.formateurs AS f
        WHERE f.company_id = NEW.company_id AND f.id = NEW.formateur_id FOR SHARE;
    END IF;
    IF complete OR NEW.client_id IS DISTINCT FROM OLD.client_id THEN
        SELECT public.nom_recherche(c) INTO client FROM public.clients AS c
        WHERE c.company_id = NEW.company_id AND c.id = NEW.client_id FOR SHARE;
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
-- Without a condition, which Postgres would read and plan anew for each statement that writes to the table.
CREATE OR REPLACE TRIGGER sessions_recherche_update BEFORE UPDATE ON public.sessions
    FOR EACH ROW EXECUTE FUNCTION public.recherche_de_session();

SELECT kernel.note_file('crm', 'functions/recherche_de_session.sql', 'e2d892d16b7306a6');
