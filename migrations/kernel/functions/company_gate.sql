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
    -- Who erases the copy says so.
    IF state = 'arriving' AND current_setting('learntrack.ended', true) IS DISTINCT FROM own::text THEN
        RAISE EXCEPTION 'company % is still arriving from another installation', own
            USING ERRCODE = 'lock_not_available', HINT = 'learntrack companies move, where it comes from, completes it.';
    -- What is still sent from here notes that it was. A job writes nothing (kernel.job_each).
    ELSIF state = 'moved'
        AND (current_setting('role') <> 'learntrack_worker' OR coalesce(current_setting('learntrack.job', true), '') <> '')
    THEN
        RAISE EXCEPTION 'company % has moved to %', own, place
            USING ERRCODE = 'LT308', DETAIL = place, HINT = 'Write there.';
    END IF;
    RETURN NULL;
END
$$;

-- What writes of the company itself pass, whose row has no gate: they wait as others do, and what they write goes along or is refused.
CREATE OR REPLACE FUNCTION kernel.company_wait(own bigint) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp SET lock_timeout = '6s'
AS $$
    SELECT pg_advisory_xact_lock_shared(20775, (own % 2147483647)::integer)
$$;

-- The tables that have a gate, or those that have none and may need one: all of companies, those of persons' secrets too. Not those that
-- are written beside others, in the same transaction, nor what the installation counts, sends and signs in with.
CREATE OR REPLACE FUNCTION kernel.company_gated(are_gated boolean) RETURNS regclass[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce(array_agg(t.home ORDER BY t.home), '{}') FROM (
        SELECT h.home FROM kernel.company_homes() AS h
        UNION ALL
        SELECT unnest(ARRAY['public.credentials', 'kernel.passkeys']::regclass[])
    ) AS t
    WHERE t.home <> ALL (ARRAY[
            'public.journal', 'public.sign_ins', 'kernel.changes', 'kernel.idempotency', 'kernel.outbox', 'kernel.usage'
        ]::regclass[])
        AND are_gated = EXISTS (SELECT FROM pg_trigger AS g WHERE g.tgrelid = t.home AND g.tgname = 'company_gate');
END
$$;

-- Gives each of these tables its gate, or takes the gates away.
--
-- A write pays for its gate, so there are gates only while a company moves, or has moved and is not erased here. A move makes them before
-- it closes them. Where other transactions keep the tables locked, gates stay until they are taken away the next time.
CREATE OR REPLACE FUNCTION kernel.company_gates(are_wanted boolean) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms'
AS $$
DECLARE
    tables regclass[];
    home regclass;
BEGIN
    -- One after the other: who takes gates away sees the move that has made them.
    PERFORM set_config('lock_timeout', '10s', true);
    BEGIN
        PERFORM pg_advisory_xact_lock(20776, 0);
    EXCEPTION WHEN lock_not_available THEN
        IF NOT are_wanted THEN
            RETURN;
        END IF;
        RAISE EXCEPTION 'another transaction makes the gates of companies, or takes them away'
            USING ERRCODE = 'lock_not_available', HINT = 'Run the command again when it has ended.';
    END;
    PERFORM set_config('lock_timeout', '200ms', true);
    are_wanted := are_wanted OR EXISTS (SELECT FROM kernel.companies AS c WHERE c.move IS NOT NULL);
    tables := kernel.company_gated(NOT are_wanted);
    IF cardinality(tables) = 0 THEN
        RETURN;
    END IF;
    IF are_wanted THEN
        PERFORM kernel.company_lock('SHARE ROW EXCLUSIVE', VARIADIC tables);
    ELSE
        FOR attempt IN 1..10 LOOP
            BEGIN
                EXECUTE format(
                    'LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', (SELECT string_agg(t::text, ', ' ORDER BY t::oid) FROM unnest(tables) AS t));
                EXIT;
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                IF attempt = 10 THEN
                    RETURN;
                END IF;
                PERFORM pg_sleep(random() * 0.2);
            END;
        END LOOP;
    END IF;
    FOREACH home IN ARRAY tables LOOP
        IF are_wanted THEN
            -- The link of a calendar notes that it was used, which is no reason to wait.
            EXECUTE format(
                'CREATE OR REPLACE TRIGGER company_gate BEFORE INSERT OR %s DELETE ON %s FOR EACH STATEMENT '
                'EXECUTE FUNCTION kernel.company_gate()',
                CASE WHEN home <> 'kernel.subscriptions'::regclass THEN 'UPDATE OR' END, home);
        ELSE
            EXECUTE format('DROP TRIGGER IF EXISTS company_gate ON %s', home);
        END IF;
    END LOOP;
END
$$;

-- Makes the gates what the companies of the installation need, for the tables that `migrate up` has added, and after a move.
CREATE OR REPLACE FUNCTION kernel.company_gates() RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    SELECT kernel.company_gates(EXISTS (SELECT FROM kernel.companies AS c WHERE c.move IS NOT NULL))
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_gate(), kernel.company_wait(bigint), kernel.company_gated(boolean),
    kernel.company_gates(boolean), kernel.company_gates() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_gate.sql', '24dd75bac8ce8ef0');
