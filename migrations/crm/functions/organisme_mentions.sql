-- Refuses mentions that do not fit at the foot of a page: of more than 320 characters or six lines. Those that an earlier version
-- took stay until they are changed.
CREATE OR REPLACE FUNCTION public.organisme_mentions() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF length(NEW.mentions) > 320
        -- What Unicode and the documents take for the end of a line.
        OR regexp_count(NEW.mentions, '\u000D\u000A|[\u000A-\u000D\u0085\u2028\u2029]') > 5
    THEN
        PERFORM kernel.refuse('organisme_mentions_longueur');
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER organisme_mentions BEFORE INSERT ON public.organisme
    FOR EACH ROW EXECUTE FUNCTION public.organisme_mentions();
CREATE OR REPLACE TRIGGER organisme_mentions_change BEFORE UPDATE OF mentions ON public.organisme
    FOR EACH ROW WHEN (NEW.mentions IS DISTINCT FROM OLD.mentions)
    EXECUTE FUNCTION public.organisme_mentions();

SELECT kernel.note_file('crm', 'functions/organisme_mentions.sql', 'fa47f3675d7bfd7a');
