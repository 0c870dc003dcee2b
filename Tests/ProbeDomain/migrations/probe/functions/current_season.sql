-- seasons.current: of two calls at once that find none, one creates it and the other finds it.
CREATE OR REPLACE FUNCTION probe.current_season() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    this_year integer := extract(year FROM now());
    found_id bigint := (
        SELECT s.id FROM probe.seasons AS s WHERE s.company_id = kernel.company() AND s.year = this_year);
BEGIN
    IF found_id IS NULL THEN
        INSERT INTO probe.seasons (year) VALUES (this_year) ON CONFLICT (company_id, year) DO NOTHING;
        found_id := (
            SELECT s.id FROM probe.seasons AS s WHERE s.company_id = kernel.company() AND s.year = this_year);
    END IF;
    RETURN found_id;
END
$$;

SELECT kernel.command_keep('probe', 'probe.current_season()', 'learntrack_coordinator', 'learntrack_gardener');
