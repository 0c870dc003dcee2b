-- The programme of a session that is written without one: that of the module's title, accents and case aside. With another module
-- a session has another programme, unless a person has chosen one of another title.
--
-- The programme is locked, so that it is not deleted before the session refers to it. SECURITY DEFINER, because the lock requires
-- rights to write.
CREATE OR REPLACE FUNCTION public.sessions_programme() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NEW.programme_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM public.programmes AS p
        WHERE p.company_id = NEW.company_id AND p.id = NEW.programme_id
            AND public.intitule_compare(p.intitule) = public.intitule_compare(OLD.module))
    THEN
        RETURN NEW;
    END IF;
    SELECT p.id INTO NEW.programme_id FROM public.programmes AS p
    WHERE p.company_id = NEW.company_id
        AND public.intitule_compare(p.intitule) = public.intitule_compare(NEW.module)
    FOR KEY SHARE;
    RETURN NEW;
END
$$;

REVOKE EXECUTE ON FUNCTION public.sessions_programme() FROM PUBLIC;

CREATE OR REPLACE TRIGGER sessions_programme BEFORE INSERT ON public.sessions
    FOR EACH ROW WHEN (NEW.programme_id IS NULL) EXECUTE FUNCTION public.sessions_programme();
CREATE OR REPLACE TRIGGER sessions_programme_update BEFORE UPDATE OF module ON public.sessions
    FOR EACH ROW
    WHEN (OLD.module IS DISTINCT FROM NEW.module AND OLD.programme_id IS NOT DISTINCT FROM NEW.programme_id)
    EXECUTE FUNCTION public.sessions_programme();

SELECT kernel.note_file('crm', 'functions/sessions_programme.sql', 'a06b320963b69030');
