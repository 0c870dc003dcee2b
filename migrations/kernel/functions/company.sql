-- The company in which a transaction acts: its rows are those that calls read and write, and new rows belong to it. The server names
-- it in the setting `learntrack.company`. An installation has one company so far, which is also that of who names none.
--
-- Postgres replaces a call by the body, so that a key that begins with company_id serves a comparison. CASE, and not coalesce: Postgres
-- takes coalesce for a function that may leak, and draws no conclusions from such a comparison on a table with row-level security.
CREATE OR REPLACE FUNCTION kernel.company() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN pg_catalog.current_setting('learntrack.company', true) <> ''
        THEN pg_catalog.current_setting('learntrack.company', true) ELSE '1' END::bigint
$$;

SELECT kernel.note_file('kernel', 'functions/company.sql', 'ef007fb111c820df');
