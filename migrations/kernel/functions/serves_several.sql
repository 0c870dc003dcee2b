-- Whether the installation serves more than one company. SECURITY DEFINER, since no role of accounts reads companies.
CREATE OR REPLACE FUNCTION kernel.serves_several() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT count(*) > 1 FROM kernel.companies
$$;

REVOKE EXECUTE ON FUNCTION kernel.serves_several() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.serves_several() TO learntrack_admin, learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/serves_several.sql', 'f23823a2213e86df');
