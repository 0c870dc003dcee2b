-- The gate of a company: a write passes it before its first row. While a move copies the last rows (kernel.move_close), writes wait
-- here, for five seconds at most. Reads pass no gate.
--
-- Each write shares a lock of its company, by two numbers, until its transaction ends; the move takes it alone, and so waits for the
-- writes that have begun. Who then comes behind the move sees what it has made of the company: moved, or served on.
--
-- SECURITY DEFINER, since roles of accounts read no companies.
CREATE OR REPLACE FUNCTION kernel.company_gate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '6s'
AS $$
DECLARE
    own CONSTANT bigint := kernel.company();
    state text;
    place text;
BEGIN
    IF own IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(20775, (own % 2147483647)::integer);
    SELECT c.move, c.move_to INTO state, place FROM kernel.companies AS c WHERE c.id = own AND c.move <> 'leaving';
    IF state = 'arriving' THEN
        RAISE EXCEPTION 'company % is still arriving from another installation', own
            USING ERRCODE = 'lock_not_available', HINT = 'learntrack companies move, where it comes from, completes it.';
    -- What is still sent from here notes that it was.
    ELSIF state = 'moved' AND current_setting('role') <> 'learntrack_worker' THEN
        RAISE EXCEPTION 'company % has moved to %', own, place
            USING ERRCODE = 'LT308', DETAIL = place, HINT = 'Write there.';
    END IF;
    RETURN NULL;
END
$$;

-- Gives each table of companies its gate, those of persons' secrets too. Not those that are written beside others, in the same
-- transaction, nor what the installation counts, sends and signs in with. `migrate up` calls it, for the tables that it has added.
CREATE OR REPLACE FUNCTION kernel.company_gates() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tables regclass[] := ARRAY(
        SELECT t.home FROM (
            SELECT h.home FROM kernel.company_homes() AS h
            UNION ALL
            SELECT unnest(ARRAY['public.credentials', 'kernel.passkeys']::regclass[])
        ) AS t
        WHERE t.home <> ALL (ARRAY[
                'public.journal', 'public.sign_ins', 'kernel.changes', 'kernel.idempotency', 'kernel.outbox', 'kernel.usage'
            ]::regclass[])
            AND NOT EXISTS (SELECT FROM pg_trigger AS g WHERE g.tgrelid = t.home AND g.tgname = 'company_gate')
        ORDER BY t.home);
    home regclass;
BEGIN
    IF cardinality(tables) = 0 THEN
        RETURN;
    END IF;
    PERFORM kernel.company_lock('SHARE ROW EXCLUSIVE', VARIADIC tables);
    FOREACH home IN ARRAY tables LOOP
        -- The link of a calendar notes that it was used, which is no reason to wait.
        EXECUTE format(
            'CREATE TRIGGER company_gate BEFORE INSERT OR %s DELETE ON %s FOR EACH STATEMENT EXECUTE FUNCTION kernel.company_gate()',
            CASE WHEN home <> 'kernel.subscriptions'::regclass THEN 'UPDATE OR' END, home);
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_gate(), kernel.company_gates() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_gate.sql', '9d3ad79c76aeb323');
