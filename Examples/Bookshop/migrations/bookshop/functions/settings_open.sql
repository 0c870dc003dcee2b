-- settings.open: the only record, which the first call makes. Of two first calls at once, one waits for the other.
CREATE OR REPLACE FUNCTION bookshop.settings_open() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    single bigint := (SELECT s.id FROM bookshop.settings AS s);
BEGIN
    IF single IS NULL THEN
        INSERT INTO bookshop.settings DEFAULT VALUES ON CONFLICT DO NOTHING;
        single := (SELECT s.id FROM bookshop.settings AS s);
    END IF;
    RETURN single;
END
$$;

SELECT kernel.command_keep('bookshop', 'bookshop.settings_open()', 'learntrack_admin');
