-- settings.open: the only record, which the first call makes.
CREATE OR REPLACE FUNCTION bookshop.settings_open() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT kernel.only('bookshop.settings')
$$;

SELECT kernel.command_keep('bookshop', 'bookshop.settings_open()', 'learntrack_admin');
