-- What operators may do: names and sizes of companies, no record. The server names the account that calls; each function checks again
-- that it is an operator. SECURITY DEFINER, since the role that signs people in writes no company and counts no record.
CREATE OR REPLACE FUNCTION kernel.operator_check(account bigint) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM kernel.accounts AS a WHERE a.id = account AND a.is_operator) THEN
        RAISE EXCEPTION 'the account % is no operator', account USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;

-- The companies in the order of their names, or the one of this id. Members that are invited or deactivated count.
CREATE OR REPLACE FUNCTION kernel.operator_companies(account bigint, of_id bigint DEFAULT NULL)
    RETURNS TABLE (id bigint, name text, members bigint, since timestamptz, is_suspended boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM kernel.operator_check(account);
    RETURN QUERY
    SELECT c.id, c.name::text, (SELECT count(*) FROM public.users AS u WHERE u.company_id = c.id), c.created_at,
        c.suspended_at IS NOT NULL
    FROM kernel.companies AS c WHERE of_id IS NULL OR c.id = of_id
    ORDER BY c.name COLLATE public.francais, c.id;
END
$$;

-- Makes a company, as `learntrack companies add` does, and invites its first administrator by mail. Returns its id.
--
-- The violation companies_not_enabled: the installation serves one company.
CREATE OR REPLACE FUNCTION kernel.operator_create(account bigint, name text, admin text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- Those of the call, whose idempotency key is of its company.
    own_company text := current_setting('learntrack.company', true);
    own_account text := current_setting('learntrack.account', true);
    own_author text := current_setting('learntrack.author', true);
    made bigint;
BEGIN
    PERFORM kernel.operator_check(account);
    IF NOT EXISTS (SELECT FROM kernel.installation AS i WHERE i.closed_at IS NOT NULL) THEN
        PERFORM kernel.refuse('companies_not_enabled');
    END IF;
    -- The operator is nobody in the new company, whose journal says this of its first member.
    PERFORM set_config('learntrack.account', '', true), set_config('learntrack.author', 'operator', true);
    SELECT a.company INTO made FROM kernel.companies_add(operator_create.name, admin, NULL, true) AS a;
    PERFORM set_config('learntrack.company', coalesce(own_company, ''), true),
        set_config('learntrack.account', coalesce(own_account, ''), true),
        set_config('learntrack.author', coalesce(own_author, ''), true);
    RETURN made;
END
$$;

-- Suspends a company, or resumes it. Whether there is one of this id.
--
-- The violations company_moved: it goes on in another installation; companies_erasing_check: a part of its rows is gone.
CREATE OR REPLACE FUNCTION kernel.operator_suspend(account bigint, company bigint, suspends boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM kernel.operator_check(account);
    -- The last round of a move takes along whether it is suspended.
    PERFORM kernel.company_wait(company);
    IF NOT suspends AND EXISTS (SELECT FROM kernel.companies AS c WHERE c.id = company AND c.move = 'moved') THEN
        PERFORM kernel.refuse('company_moved');
    END IF;
    UPDATE kernel.companies AS c SET suspended_at = CASE WHEN suspends THEN coalesce(c.suspended_at, now()) END
    WHERE c.id = company;
    RETURN FOUND;
END
$$;

-- What each company has used, for bills.
--
-- since, until  the first and the last day, in the time zone of the service
--
-- Of the period: sign-ins, documents that links have opened, signatures that people have given, messages that have left. As it is
-- now: members who may act in the company and had joined by the last day; rows of the tables of entities, which are those with a
-- journal or a feed; bytes of the files that members gave. Sign-ins are kept for 90 days after they ended.
CREATE OR REPLACE FUNCTION kernel.operator_usage(account bigint, since date, until date)
    RETURNS TABLE (
        id bigint, name text, members bigint, sign_ins bigint, records bigint, documents bigint, signatures bigint,
        messages bigint, bytes bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    zone text := coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'Europe/Paris');
    start timestamptz := since::timestamp AT TIME ZONE zone;
    ending timestamptz := (until + 1)::timestamp AT TIME ZONE zone;
    counts text;
    rows_of jsonb := '{}';
BEGIN
    PERFORM kernel.operator_check(account);
    -- One pass over each table, for all companies.
    SELECT string_agg(format('SELECT t.company_id, count(*) AS number FROM %s AS t GROUP BY t.company_id', home.oid::regclass), ' UNION ALL ')
    INTO counts
    FROM pg_class AS home
    WHERE home.relkind IN ('r', 'p') AND home.relnamespace <> 'kernel'::regnamespace
        -- Who members are, and what they may, is counted as members.
        AND home.oid <> ALL (ARRAY['public.users', 'public.account_roles', 'public.access_keys']::regclass[])
        AND EXISTS (
            SELECT FROM pg_trigger AS g WHERE g.tgrelid = home.oid AND g.tgname IN ('kernel_journal', 'kernel_feed'))
        AND EXISTS (
            SELECT FROM pg_attribute AS a
            WHERE a.attrelid = home.oid AND a.attname = 'company_id' AND NOT a.attisdropped);
    IF counts IS NOT NULL THEN
        EXECUTE format(
            'SELECT coalesce(jsonb_object_agg(s.company_id, s.number), ''{}'') FROM '
            '(SELECT c.company_id, sum(c.number) AS number FROM (%s) AS c GROUP BY c.company_id) AS s', counts) INTO rows_of;
    END IF;
    RETURN QUERY
    SELECT c.id, c.name::text, coalesce(m.number, 0), coalesce(l.number, 0), coalesce((rows_of ->> c.id::text)::bigint, 0),
        coalesce(d.documents, 0)::bigint, coalesce(p.number, 0), coalesce(o.number, 0) + coalesce(d.messages, 0)::bigint,
        coalesce(f.bytes, 0)::bigint
    FROM kernel.companies AS c
    LEFT JOIN (
        SELECT u.company_id, count(*) AS number FROM public.users AS u
        WHERE u.is_member AND u.joined_at < ending GROUP BY u.company_id) AS m ON m.company_id = c.id
    LEFT JOIN (
        SELECT s.company_id, count(*) AS number FROM public.sign_ins AS s
        WHERE s.created_at >= start AND s.created_at < ending GROUP BY s.company_id) AS l ON l.company_id = c.id
    LEFT JOIN (
        SELECT u.company_id, sum(u.documents) AS documents, sum(u.messages) AS messages FROM kernel.usage AS u
        WHERE u.day BETWEEN since AND until GROUP BY u.company_id) AS d ON d.company_id = c.id
    LEFT JOIN (
        SELECT s.company_id, count(*) AS number FROM kernel.signatories AS s
        WHERE s.signed_at >= start AND s.signed_at < ending GROUP BY s.company_id) AS p ON p.company_id = c.id
    LEFT JOIN (
        SELECT m.company_id, count(*) AS number FROM kernel.outbox AS m
        WHERE m.sent_at >= start AND m.sent_at < ending GROUP BY m.company_id) AS o ON o.company_id = c.id
    LEFT JOIN (
        SELECT g.company_id, sum(g.size) AS bytes FROM kernel.files AS g GROUP BY g.company_id) AS f ON f.company_id = c.id
    ORDER BY c.name COLLATE public.francais, c.id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.operator_check(bigint), kernel.operator_companies(bigint, bigint),
    kernel.operator_create(bigint, text, text), kernel.operator_suspend(bigint, bigint, boolean),
    kernel.operator_usage(bigint, date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.operator_companies(bigint, bigint), kernel.operator_create(bigint, text, text),
    kernel.operator_suspend(bigint, bigint, boolean), kernel.operator_usage(bigint, date, date) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/operators.sql', 'e63d9ca643d39664');
