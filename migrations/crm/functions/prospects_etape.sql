-- The stages to which a prospect may go from another one, the way forward first. A prospect that has become a client stays won.
CREATE OR REPLACE FUNCTION public.etapes_suivantes(etape text, est_client boolean) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN est_client THEN '{}'
        WHEN etape = 'a_contacter' THEN '{contacte,perdu}'
        WHEN etape = 'contacte' THEN '{proposition,perdu}'
        WHEN etape = 'proposition' THEN '{gagne,contacte,perdu}'
        WHEN etape = 'gagne' THEN '{proposition,perdu}'
        WHEN etape = 'perdu' THEN '{a_contacter,contacte}'
        ELSE '{}'
    END::text[];

-- The same for a row, as clients read it.
CREATE OR REPLACE FUNCTION public.etapes_suivantes(prospect public.prospects) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_jsonb(public.etapes_suivantes((prospect).etape, (prospect).client_id IS NOT NULL));

-- Refuses every other way, also at psql. Becoming a client wins a prospect from any stage but `perdu`.
CREATE OR REPLACE FUNCTION public.prospects_etape() RETURNS trigger
    LANGUAGE plpgsql
AS $$
DECLARE
    suivantes text[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        suivantes := '{a_contacter}';
    ELSIF NEW.client_id IS NOT NULL AND OLD.client_id IS NULL AND OLD.etape <> 'perdu' THEN
        suivantes := '{gagne}';
    ELSE
        suivantes := public.etapes_suivantes(OLD.etape, OLD.client_id IS NOT NULL);
    END IF;
    IF NEW.etape <> ALL (suivantes) THEN
        PERFORM kernel.refuse(
            'prospects_etape_suivante',
            jsonb_build_object(
                'etape', CASE TG_OP WHEN 'UPDATE' THEN OLD.etape END, 'suivantes', suivantes));
    END IF;
    RETURN NEW;
END
$$;

REVOKE EXECUTE ON FUNCTION public.prospects_etape() FROM PUBLIC;

CREATE OR REPLACE TRIGGER prospects_etape BEFORE INSERT ON public.prospects
    FOR EACH ROW EXECUTE FUNCTION public.prospects_etape();
CREATE OR REPLACE TRIGGER prospects_etape_update BEFORE UPDATE ON public.prospects
    FOR EACH ROW WHEN (OLD.etape IS DISTINCT FROM NEW.etape)
    EXECUTE FUNCTION public.prospects_etape();

SELECT kernel.note_file('crm', 'functions/prospects_etape.sql', 'fa2835a18b62d41e');
