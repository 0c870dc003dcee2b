-- Refuses mentions that do not fit at the foot of a page. Longer ones that an earlier version took stay until they are changed.
CREATE OR REPLACE FUNCTION public.organisme_mentions() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM kernel.refuse('organisme_mentions_longueur');
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER organisme_mentions BEFORE INSERT ON public.organisme
    FOR EACH ROW WHEN (length(NEW.mentions) > 320) EXECUTE FUNCTION public.organisme_mentions();
CREATE OR REPLACE TRIGGER organisme_mentions_change BEFORE UPDATE OF mentions ON public.organisme
    FOR EACH ROW WHEN (length(NEW.mentions) > 320 AND NEW.mentions IS DISTINCT FROM OLD.mentions)
    EXECUTE FUNCTION public.organisme_mentions();

SELECT kernel.note_file('crm', 'functions/organisme_mentions.sql', 'd90ad1569fdac943');
