-- After the day of a prospect was written: reminders before it wait until then, and the next one moves there from a later
-- day; without any, one is entered. No day means that none is left to do.
--
-- SECURITY DEFINER, because a reminder is entered in the company of its prospect, and no role may name a company.
CREATE OR REPLACE FUNCTION public.relances_suivre_prospect() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    suivante public.relances;
BEGIN
    IF NEW.prochaine_relance IS NULL THEN
        UPDATE public.relances AS r SET faite = true
        WHERE r.company_id = NEW.company_id AND r.prospect_id = NEW.id AND NOT r.faite;
        RETURN NULL;
    END IF;
    SELECT * INTO suivante FROM public.relances AS r
    WHERE r.company_id = NEW.company_id AND r.prospect_id = NEW.id AND NOT r.faite
    ORDER BY r.date, r.id LIMIT 1;
    IF NOT FOUND THEN
        INSERT INTO public.relances (company_id, prospect_id, date)
        VALUES (NEW.company_id, NEW.id, NEW.prochaine_relance);
    ELSIF suivante.date <> NEW.prochaine_relance THEN
        UPDATE public.relances AS r SET date = NEW.prochaine_relance
        WHERE r.company_id = NEW.company_id AND r.prospect_id = NEW.id AND NOT r.faite
            AND (r.date < NEW.prochaine_relance OR r.id = suivante.id);
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION public.relances_suivre_prospect() FROM PUBLIC;

SELECT kernel.note_file('crm', 'functions/relances_suivre_prospect.sql', 'fcba0bf9f5356543');
