-- The id of the only record that the company has in a table, which is made if there is none: the function of a command that opens a single entity calls it,
-- with rights to read and to insert. A unique index over company_id keeps a company from a second record, so that of two first calls at
-- once one waits for the other and finds its record.
CREATE OR REPLACE FUNCTION kernel.only(home regclass) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found bigint;
BEGIN
    EXECUTE format('SELECT o.id FROM %s AS o WHERE o.company_id = kernel.company()', home) INTO found;
    IF found IS NULL THEN
        EXECUTE format('INSERT INTO %s DEFAULT VALUES ON CONFLICT DO NOTHING', home);
        EXECUTE format('SELECT o.id FROM %s AS o WHERE o.company_id = kernel.company()', home) INTO found;
    END IF;
    RETURN found;
END
$$;

SELECT kernel.note_file('kernel', 'functions/only.sql', '0c5d084d656ac314');
