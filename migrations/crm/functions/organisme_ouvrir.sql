-- organisme.ouvrir: the only record, which the first call creates. Of two first calls at once, one waits for the other.
CREATE OR REPLACE FUNCTION public.organisme_ouvrir() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    seul bigint := (SELECT o.id FROM public.organisme AS o);
BEGIN
    IF seul IS NULL THEN
        INSERT INTO public.organisme DEFAULT VALUES ON CONFLICT DO NOTHING;
        SELECT o.id INTO seul FROM public.organisme AS o;
    END IF;
    RETURN seul;
END
$$;

SELECT kernel.command_keep('crm', 'public.organisme_ouvrir()', 'learntrack_user', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/organisme_ouvrir.sql', '573129480e3c26ff');
