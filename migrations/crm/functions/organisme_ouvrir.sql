-- organisme.ouvrir: the only record, which the first call creates.
CREATE OR REPLACE FUNCTION public.organisme_ouvrir() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT kernel.only('public.organisme')
$$;

SELECT kernel.command_keep('crm', 'public.organisme_ouvrir()', 'learntrack_user', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/organisme_ouvrir.sql', '25db3cdebf5797e0');
