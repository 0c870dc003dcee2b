-- Refuses mentions that do not fit at the foot of a page. Longer ones that an earlier version took stay until they are changed.
CREATE OR REPLACE FUNCTION public.organisme_mentions() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM kernel.refuse('organisme_mentions_longueur');
    RETURN NULL;
END
$$;

-- The characters that end a line are those of Swift's Character.isNewline.
CREATE OR REPLACE TRIGGER organisme_mentions BEFORE INSERT ON public.organisme
    FOR EACH ROW WHEN (
        length(NEW.mentions) > 320
        OR array_length(regexp_split_to_array(NEW.mentions, E'\r\n|[\n\r\v\f\u0085\u2028\u2029]'), 1) > 6)
    EXECUTE FUNCTION public.organisme_mentions();
CREATE OR REPLACE TRIGGER organisme_mentions_change BEFORE UPDATE OF mentions ON public.organisme
    FOR EACH ROW WHEN (
        (length(NEW.mentions) > 320
            OR array_length(regexp_split_to_array(NEW.mentions, E'\r\n|[\n\r\v\f\u0085\u2028\u2029]'), 1) > 6)
        AND NEW.mentions IS DISTINCT FROM OLD.mentions)
    EXECUTE FUNCTION public.organisme_mentions();

SELECT kernel.note_file('crm', 'functions/organisme_mentions.sql', '985c05bbe5497a42');
