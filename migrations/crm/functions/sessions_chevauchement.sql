-- Where organisme.conflits_interdits is true, refuses a session that overlaps another one of its trainer. Sessions that touch do
-- not overlap. Overlaps that exist stay until one of the two sessions gets another trainer, date or time.
--
-- Writes of one trainer's sessions wait for each other, so that of two that overlap the second sees the first. The lock is the
-- trainer's alone, not the day's: a merge moves thousands of sessions, and each lock takes shared memory. It is not the
-- trainer's row, which a rename locks before the sessions and a move after one.
--
-- It runs after the rows are written: a statement that moves several sessions is judged by what it leaves.
CREATE OR REPLACE FUNCTION public.sessions_chevauchement() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    autre public.sessions;
BEGIN
    IF NOT EXISTS (SELECT FROM public.organisme AS o WHERE o.company_id = NEW.company_id AND o.conflits_interdits) THEN
        RETURN NULL;
    END IF;
    PERFORM pg_advisory_xact_lock(
        hashtextextended(concat('public.sessions.formateur_id ', NEW.company_id), NEW.formateur_id));
    SELECT * INTO autre FROM public.sessions AS s
    WHERE s.company_id = NEW.company_id AND s.formateur_id = NEW.formateur_id AND s.date = NEW.date
        AND s.id <> NEW.id AND s.debut < NEW.fin AND s.fin > NEW.debut
    ORDER BY s.debut, s.id LIMIT 1;
    IF FOUND THEN
        PERFORM kernel.refuse('sessions_chevauchement', jsonb_build_object(
            'session', autre.id, 'module', autre.module, 'date', autre.date, 'debut', autre.debut, 'fin', autre.fin));
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER sessions_chevauchement AFTER INSERT ON public.sessions
    FOR EACH ROW WHEN (NEW.formateur_id IS NOT NULL)
    EXECUTE FUNCTION public.sessions_chevauchement();
CREATE OR REPLACE TRIGGER sessions_chevauchement_change AFTER UPDATE OF formateur_id, date, debut, fin ON public.sessions
    FOR EACH ROW WHEN (
        NEW.formateur_id IS NOT NULL
        AND (OLD.formateur_id, OLD.date, OLD.debut, OLD.fin)
            IS DISTINCT FROM (NEW.formateur_id, NEW.date, NEW.debut, NEW.fin))
    EXECUTE FUNCTION public.sessions_chevauchement();

SELECT kernel.note_file('crm', 'functions/sessions_chevauchement.sql', '1c293664dea75611');
