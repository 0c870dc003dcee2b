-- A new name for the sessions of a trainer or client. Only this part of their texts changes, so that two renames
-- at the same time do not undo each other; they lock the sessions in one order.
CREATE OR REPLACE FUNCTION public.recherche_renomme() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    nom text := public.nom_recherche(NEW);
BEGIN
    IF nom = public.nom_recherche(OLD) THEN
        RETURN NULL;
    END IF;
    -- An older snapshot would miss the sessions that another transaction has added after it was taken.
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'a trainer or client is renamed in a transaction of the isolation level READ COMMITTED only'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF TG_TABLE_NAME = 'formateurs' THEN
        PERFORM FROM public.sessions AS s WHERE s.company_id = NEW.company_id AND s.formateur_id = NEW.id
        ORDER BY s.id FOR NO KEY UPDATE;
        UPDATE public.sessions AS s
        SET search_text = concat(
            split_part(s.search_text, E'\n', 1), E'\n', nom, E'\n', split_part(s.search_text, E'\n', 3))
        WHERE s.company_id = NEW.company_id AND s.formateur_id = NEW.id;
    ELSE
        PERFORM FROM public.sessions AS s WHERE s.company_id = NEW.company_id AND s.client_id = NEW.id
        ORDER BY s.id FOR NO KEY UPDATE;
        UPDATE public.sessions AS s
        SET search_text = concat(
            split_part(s.search_text, E'\n', 1), E'\n', split_part(s.search_text, E'\n', 2), E'\n', nom)
        WHERE s.company_id = NEW.company_id AND s.client_id = NEW.id;
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION public.recherche_renomme() FROM PUBLIC;

CREATE OR REPLACE TRIGGER formateurs_recherche AFTER UPDATE ON public.formateurs
    FOR EACH ROW WHEN (OLD.prenom IS DISTINCT FROM NEW.prenom OR OLD.nom IS DISTINCT FROM NEW.nom)
    EXECUTE FUNCTION public.recherche_renomme();
CREATE OR REPLACE TRIGGER clients_recherche AFTER UPDATE ON public.clients
    FOR EACH ROW WHEN (OLD.raison_sociale IS DISTINCT FROM NEW.raison_sociale)
    EXECUTE FUNCTION public.recherche_renomme();

SELECT kernel.note_file('crm', 'functions/recherche_renomme.sql', '1dc44f972cd7378d');
