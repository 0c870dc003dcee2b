-- Removes a company: learntrack companies erase. In steps, each a transaction of its own, which may be repeated: one long transaction
-- would hold up the change feed of all companies, and Postgres would keep what they replace meanwhile. None locks a row or a table
-- against other companies.
--
-- 1. kernel.company_end: nobody acts in the company any more.
-- 2. kernel.company_empty, until it removes nothing: its rows, some thousands at a time.
-- 3. kernel.company_remove: its members, what is left, and the company itself.
-- 4. kernel.company_empty again, for what calls had still written that had begun before the first step.

-- Ends what acts in the company: its members, their streams and tokens, its keys, links and messages. Servers learn of it at once.
--
-- Refuses a name that is not exactly that of the company, and the only company.
CREATE OR REPLACE FUNCTION kernel.company_end(ended bigint, name text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own_name text;
BEGIN
    -- Of two that end at once, the second one sees whether it is the last.
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.companies', 0));
    SELECT c.name INTO own_name FROM kernel.companies AS c WHERE c.id = ended;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no company %', ended
            USING ERRCODE = 'no_data_found', HINT = 'learntrack companies list shows them.';
    ELSIF own_name <> company_end.name THEN
        RAISE EXCEPTION 'company % is called %, not %', ended, own_name, company_end.name
            USING ERRCODE = 'no_data_found', HINT = 'Give the name of the company as it is: --confirm NAME.';
    ELSIF NOT EXISTS (SELECT FROM kernel.companies AS c WHERE c.id <> ended) THEN
        RAISE EXCEPTION 'company % is the only one', ended
            USING ERRCODE = 'no_data_found', HINT = 'An installation has at least one: remove its database instead.';
    END IF;
    PERFORM set_config('learntrack.company', ended::text, true), set_config('learntrack.ended', ended::text, true);
    -- As who changes an address or erases an account: first the accounts, then their members. Triggers lock them below, too.
    PERFORM FROM kernel.accounts AS a
    WHERE a.id IN (SELECT u.account_id FROM public.users AS u WHERE u.company_id = ended) ORDER BY a.id FOR NO KEY UPDATE;
    -- Jobs pass it by, no message leaves, and no page of a signature is answered, while its rows go.
    -- One that has moved is forgotten here, also where it went. The copy of a move stays one, so that who erases it knows it again.
    UPDATE kernel.companies AS c
        SET suspended_at = coalesce(c.suspended_at, now()), erasing_at = coalesce(c.erasing_at, now()) WHERE c.id = ended;
    UPDATE kernel.companies AS c SET move = NULL, move_to = NULL, move_id = NULL, move_at = NULL
        WHERE c.id = ended AND c.move IS DISTINCT FROM 'arriving';
    -- The sign-ins end of those who are a member of no other company.
    UPDATE public.users AS u SET is_active = false WHERE u.company_id = ended AND u.is_active;
    PERFORM pg_notify('auth_account_changed', format('ended %s %s', ended, u.id)) FROM public.users AS u WHERE u.company_id = ended;
    UPDATE public.access_keys AS k SET revoked_at = now() WHERE k.company_id = ended AND k.revoked_at IS NULL;
    DELETE FROM kernel.subscriptions AS s WHERE s.company_id = ended;
    DELETE FROM kernel.invitation_tokens AS i WHERE i.company_id = ended;
    DELETE FROM kernel.outbox AS o WHERE o.company_id = ended AND o.sent_at IS NULL;
END
$$;

-- The same of the copy that a move has made, as long as it has not arrived.
CREATE OR REPLACE FUNCTION kernel.company_end(ended bigint, name text, move_id uuid) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.companies', 0));
    PERFORM FROM kernel.companies AS c
    WHERE c.id = ended AND c.move = 'arriving' AND c.move_id = company_end.move_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'company % is no copy of this move', ended
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'learntrack companies list shows what it is.';
    END IF;
    PERFORM kernel.company_end(ended, company_end.name);
END
$$;

-- Removes up to `at_most` rows of the company from one of its tables; of its members none, on whom others depend. No row: nothing is
-- left. Without the right to do without triggers (kernel.company_quiet), these run: then the journal of the removal goes after what it
-- is about.
CREATE OR REPLACE FUNCTION kernel.company_empty(emptied bigint, at_most integer) RETURNS TABLE (name text, removed bigint)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    home regclass;
BEGIN
    IF EXISTS (SELECT FROM public.users AS u WHERE u.company_id = emptied AND u.is_active) THEN
        RAISE EXCEPTION 'company % has active members', emptied
            USING ERRCODE = 'object_in_use', HINT = 'learntrack companies erase ends them first.';
    END IF;
    -- Triggers ask for it.
    PERFORM set_config('learntrack.company', emptied::text, true), set_config('learntrack.account', '', true),
        set_config('learntrack.ended', emptied::text, true), kernel.company_quiet();
    -- What refuses to remove entries of the journal, and what was signed, lets it pass.
    PERFORM set_config('learntrack.erasing', 'company', true);
    FOR home, name IN
        SELECT h.home, format('%I.%I', n.nspname, c.relname) FROM kernel.company_homes() AS h
        JOIN pg_class AS c ON c.oid = h.home JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE h.home <> ALL (ARRAY['public.users', 'public.sign_ins']::regclass[])
        ORDER BY h.home IN ('kernel.outbox'::regclass, 'public.journal', 'kernel.changes'), h.place DESC
    LOOP
        EXECUTE format(
            'DELETE FROM %1$s WHERE company_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE company_id = $1 LIMIT $2))',
            home) USING emptied, at_most;
        GET DIAGNOSTICS removed = ROW_COUNT;
        IF removed > 0 THEN
            RETURN NEXT;
            EXIT;
        END IF;
    END LOOP;
    PERFORM set_config('learntrack.erasing', 'off', true);
END
$$;

-- Removes the members of the company, the accounts that are in no other one, with all that they sign in with, and the company. The
-- result is the number of members, and that of the accounts.
CREATE OR REPLACE FUNCTION kernel.company_remove(removed bigint) RETURNS TABLE (members bigint, accounts bigint)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    persons bigint[];
    alone bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.companies', 0));
    IF NOT EXISTS (SELECT FROM kernel.companies AS c WHERE c.id <> removed) THEN
        RAISE EXCEPTION 'company % is the only one', removed
            USING ERRCODE = 'no_data_found', HINT = 'An installation has at least one: remove its database instead.';
    END IF;
    PERFORM set_config('learntrack.company', removed::text, true), set_config('learntrack.account', '', true),
        set_config('learntrack.ended', removed::text, true);
    persons := ARRAY(SELECT u.account_id FROM public.users AS u WHERE u.company_id = removed);
    -- As who changes an address or erases an account: first the accounts, then their members.
    PERFORM FROM kernel.accounts AS a WHERE a.id = ANY (persons) ORDER BY a.id FOR NO KEY UPDATE;
    -- Who makes one of these a member of another company waits until it is gone, or has done so before the next statement.
    PERFORM FROM kernel.accounts AS a
    WHERE a.id = ANY (persons)
        AND NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = a.id AND u.company_id <> removed)
    ORDER BY a.id FOR UPDATE;
    alone := ARRAY(
        SELECT p FROM unnest(persons) AS p
        WHERE NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = p AND u.company_id <> removed)
            AND NOT EXISTS (SELECT FROM kernel.accounts AS a WHERE a.id = p AND a.is_operator));
    DELETE FROM public.sign_ins AS s WHERE s.user_id = ANY (alone);
    -- The others go on elsewhere.
    UPDATE public.sign_ins AS s
        SET company_id = (SELECT min(u.company_id) FROM public.users AS u WHERE u.account_id = s.user_id AND u.company_id <> removed)
        WHERE s.user_id = ANY (persons) AND s.company_id = removed;
    -- With the accounts of `alone`: the trigger users_end.
    DELETE FROM public.users AS u WHERE u.company_id = removed;
    GET DIAGNOSTICS members = ROW_COUNT;
    accounts := cardinality(alone);
    DELETE FROM kernel.companies AS c WHERE c.id = removed;
    RETURN NEXT;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_end(bigint, text), kernel.company_end(bigint, text, uuid), kernel.company_empty(bigint, integer),
    kernel.company_remove(bigint) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/companies_erase.sql', '5823a560beb7035f');
