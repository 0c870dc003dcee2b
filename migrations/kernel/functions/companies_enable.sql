-- Several companies, in two steps, so that servers which run meanwhile lose no call: `learntrack companies enable` takes them. Both
-- may be taken again at any time.
--
-- The first: policies keep companies apart. Who names no company is still in the first one, as the reads of servers are that have
-- not learnt it yet. They learn it within seconds, and name their company from then on.
CREATE OR REPLACE FUNCTION kernel.companies_enable() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    open text;
BEGIN
    INSERT INTO kernel.installation AS i (enabled_at) VALUES (now())
    ON CONFLICT ((true)) DO UPDATE SET enabled_at = excluded.enabled_at WHERE i.enabled_at IS NULL;
    -- First, because policies lock the tables against all calls.
    PERFORM kernel.company_searches(), kernel.company_statistics();
    PERFORM kernel.company_policies();
    SELECT string_agg(u.home, ', ' ORDER BY u.home) INTO open FROM kernel.company_unguarded() AS u;
    IF open IS NOT NULL THEN
        RAISE EXCEPTION 'policies of % let everybody reach rows of every company: let them say company_id = kernel.company()', open;
    END IF;
END
$$;

-- The second, when no server reads without naming a company any more: who names none is in none. It takes the first one, too, if a
-- table has been added in between.
CREATE OR REPLACE FUNCTION kernel.companies_close() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM kernel.installation WHERE enabled_at IS NOT NULL) THEN
        RAISE EXCEPTION 'several companies are not enabled' USING HINT = 'Run learntrack companies enable.';
    END IF;
    PERFORM kernel.companies_enable();
    UPDATE kernel.installation SET closed_at = clock_timestamp() WHERE closed_at IS NULL;
    PERFORM kernel.company_write();
    PERFORM kernel.company_note();
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.companies_enable(), kernel.companies_close() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/companies_enable.sql', 'fd4452b05bebce9a');
