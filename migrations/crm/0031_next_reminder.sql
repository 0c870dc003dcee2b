-- A prospect's `prochaine_relance` is the day of its next reminder that is not done: the record and the list of its reminders
-- say the same. A write to one of them changes the other.
--
-- The triggers are numbered, because a stored value rests on them.
--
-- Safe from: 1.0.0
-- Locks: prospects and relances against writes, while the days of all prospects are compared: a second for a hundred thousand

LOCK TABLE public.prospects, public.relances IN SHARE ROW EXCLUSIVE MODE;

-- After a reminder was written: its prospect has the day of the next one. The lock comes first: of two transactions that
-- write reminders of one prospect, the second then sees those of the first.
CREATE FUNCTION public.prospects_suivre_relances() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    concernes bigint[] := CASE TG_OP
        WHEN 'INSERT' THEN ARRAY[NEW.prospect_id]
        WHEN 'DELETE' THEN ARRAY[OLD.prospect_id]
        ELSE ARRAY[NEW.prospect_id, OLD.prospect_id]
    END;
BEGIN
    PERFORM FROM public.prospects AS p WHERE p.id = ANY (concernes) ORDER BY p.id FOR NO KEY UPDATE;
    UPDATE public.prospects AS p SET prochaine_relance = s.date
    FROM (
        SELECT c.id, (SELECT min(r.date) FROM public.relances AS r WHERE r.prospect_id = c.id AND NOT r.faite) AS date
        FROM (SELECT DISTINCT unnest(concernes) AS id) AS c
    ) AS s
    WHERE p.id = s.id AND p.prochaine_relance IS DISTINCT FROM s.date;
    RETURN NULL;
END
$$;

-- After the day of a prospect was written: reminders before it wait until then, and the next one moves there from a later
-- day; without any, one is entered. No day means that none is left to do.
CREATE FUNCTION public.relances_suivre_prospect() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    suivante public.relances;
BEGIN
    IF NEW.prochaine_relance IS NULL THEN
        UPDATE public.relances AS r SET faite = true WHERE r.prospect_id = NEW.id AND NOT r.faite;
        RETURN NULL;
    END IF;
    SELECT * INTO suivante FROM public.relances AS r WHERE r.prospect_id = NEW.id AND NOT r.faite
    ORDER BY r.date, r.id LIMIT 1;
    IF NOT FOUND THEN
        INSERT INTO public.relances (prospect_id, date) VALUES (NEW.id, NEW.prochaine_relance);
    ELSIF suivante.date <> NEW.prochaine_relance THEN
        UPDATE public.relances AS r SET date = NEW.prochaine_relance
        WHERE r.prospect_id = NEW.id AND NOT r.faite AND (r.date < NEW.prochaine_relance OR r.id = suivante.id);
    END IF;
    RETURN NULL;
END
$$;

-- A day without words keeps no prospect from being deleted, as it did not before it was a reminder.
CREATE FUNCTION public.prospects_sans_relances() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM public.relances AS r WHERE r.prospect_id = OLD.id AND NOT r.faite AND r.note IS NULL;
    RETURN OLD;
END
$$;

REVOKE EXECUTE ON FUNCTION
    public.prospects_suivre_relances(), public.relances_suivre_prospect(), public.prospects_sans_relances() FROM PUBLIC;

-- What is stored: a day for which no reminder is to be done becomes one.
INSERT INTO public.relances (prospect_id, date)
SELECT p.id, p.prochaine_relance FROM public.prospects AS p
WHERE p.prochaine_relance IS NOT NULL
    AND NOT EXISTS (
        SELECT FROM public.relances AS r
        WHERE r.prospect_id = p.id AND r.date = p.prochaine_relance AND NOT r.faite
    );
UPDATE public.prospects AS p SET prochaine_relance = s.date
FROM (SELECT r.prospect_id, min(r.date) AS date FROM public.relances AS r WHERE NOT r.faite GROUP BY r.prospect_id) AS s
WHERE s.prospect_id = p.id AND p.prochaine_relance IS DISTINCT FROM s.date;

CREATE TRIGGER relances_prochaine AFTER INSERT ON public.relances
    FOR EACH ROW EXECUTE FUNCTION public.prospects_suivre_relances();
-- Not when the prospect is deleted with them.
CREATE TRIGGER relances_prochaine_delete AFTER DELETE ON public.relances
    FOR EACH ROW WHEN (pg_catalog.pg_trigger_depth() = 0) EXECUTE FUNCTION public.prospects_suivre_relances();
CREATE TRIGGER relances_prochaine_update AFTER UPDATE ON public.relances
    FOR EACH ROW
    WHEN (
        OLD.date IS DISTINCT FROM NEW.date OR OLD.faite IS DISTINCT FROM NEW.faite
        OR OLD.prospect_id IS DISTINCT FROM NEW.prospect_id
    )
    EXECUTE FUNCTION public.prospects_suivre_relances();
CREATE TRIGGER prospects_prochaine AFTER INSERT ON public.prospects
    FOR EACH ROW WHEN (NEW.prochaine_relance IS NOT NULL) EXECUTE FUNCTION public.relances_suivre_prospect();
CREATE TRIGGER prospects_prochaine_update AFTER UPDATE ON public.prospects
    FOR EACH ROW WHEN (OLD.prochaine_relance IS DISTINCT FROM NEW.prochaine_relance)
    EXECUTE FUNCTION public.relances_suivre_prospect();
CREATE TRIGGER prospects_sans_relances BEFORE DELETE ON public.prospects
    FOR EACH ROW EXECUTE FUNCTION public.prospects_sans_relances();

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0031_next_reminder.sql') ON CONFLICT DO NOTHING;
