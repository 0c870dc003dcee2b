-- Makes a company of the parts of a file (kernel.company_stage): learntrack companies import. In one transaction: a failure leaves
-- nothing but gaps in the numbers of sequences.
--
-- name     of the company
-- wanted   its id; null for the next one
-- invites  whether a mail invites the members who cannot sign in, as the outbox sends it
--
-- A member whose address has an account here is invited: the person alone becomes a member, and nobody does by a file. Another one gets
-- an account, with the password and the passkeys of the file if it has any.
--
-- The triggers of the tables do not run: rows come as they were, with their journal. Where the login may not do without them
-- (kernel.company_quiet), the tables are closed to writes, those of other companies too, from when everything is checked to the end.
--
-- Result: the company; how many members it has, how many of them are invited, and how many have no password; the tables whose ids were
-- raised; and how many keys, links and passkeys of the file hold no more, because another company has the same or their number is taken.
CREATE OR REPLACE FUNCTION kernel.companies_import(name text, wanted bigint, invites boolean)
    RETURNS TABLE (company bigint, members bigint, invited bigint, without_password bigint, raised text, ended text)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other bigint;
    -- By how much ids were raised, by table: {"public.users": 1200}.
    raises jsonb;
    -- The columns with ids that were raised, and what the journal says of them (kernel.raised_entry).
    raised_columns jsonb;
    of_entries jsonb;
    staged regclass;
    part record;
    tables regclass[] := '{}';
    has_rows boolean;
    restoring text;
    passkeys bigint := 0;
    keys bigint := 0;
    links bigint := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.companies', 0));
    IF NOT EXISTS (SELECT FROM kernel.installation AS i WHERE i.closed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'several companies are not enabled'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run learntrack companies enable.';
    END IF;
    SELECT c.id INTO other FROM kernel.companies AS c WHERE lower(c.name) = lower(companies_import.name);
    IF FOUND THEN
        RAISE EXCEPTION 'company % is called % already', other, companies_import.name
            USING ERRCODE = 'unique_violation', HINT = 'Give the imported one another name: --name NAME.';
    ELSIF wanted > 1000000000000 THEN
        RAISE EXCEPTION 'the id % leaves too few for further companies', wanted
            USING ERRCODE = 'numeric_value_out_of_range', HINT = 'Leave --id out, or give a number of at most 1000000000000.';
    ELSIF EXISTS (SELECT FROM kernel.companies AS c WHERE c.id = wanted) THEN
        RAISE EXCEPTION 'there is a company % already', wanted
            USING ERRCODE = 'unique_violation', HINT = 'Leave --id out, or give a number that no company has.';
    END IF;
    IF EXISTS (SELECT FROM kernel.company_counts(wanted)) THEN
        RAISE EXCEPTION 'a company % that was erased has left rows', wanted
            USING ERRCODE = 'unique_violation', HINT = 'Leave --id out, or give a number that no company has had.';
    END IF;
    PERFORM kernel.company_check_staged();

    SELECT coalesce(jsonb_object_agg(r.home::text, r.amount), '{}') INTO raises FROM kernel.company_raises() AS r
        WHERE r.amount <> 0;
    raised := (SELECT string_agg(k, ', ' ORDER BY k) FROM jsonb_object_keys(raises) AS k);
    SELECT coalesce(jsonb_agg(c), '[]') INTO raised_columns FROM (
        SELECT r.key::regclass::oid AS home, 'id' AS "column", NULL::text AS member, r.value::bigint AS amount
        FROM jsonb_each_text(raises) AS r
        UNION ALL
        SELECT k.conrelid, here.attname, NULL, r.value::bigint
        FROM jsonb_each_text(raises) AS r
        JOIN pg_constraint AS k ON k.contype = 'f' AND k.confrelid = r.key::regclass
        CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS p (here, there)
        JOIN pg_attribute AS here ON here.attrelid = k.conrelid AND here.attnum = p.here
        JOIN pg_attribute AS there ON there.attrelid = k.confrelid AND there.attnum = p.there AND there.attname = 'id'
        UNION ALL
        -- What was signed outlives a member, and so do answers: no foreign key says that these name one.
        SELECT h::regclass, 'account_id', NULL, (raises ->> 'public.users')::bigint
        FROM unnest(ARRAY['kernel.signatures', 'kernel.idempotency']) AS h WHERE raises ? 'public.users'
    ) AS c;
    IF raises ? 'kernel.files' THEN
        EXECUTE format(
            'SELECT $1 || coalesce(jsonb_agg(jsonb_build_object($3, l.home::oid, $4, l.field, $5, l.member, $6, $2)), $7) '
            'FROM (SELECT DISTINCT home, field, member FROM %s) AS l', kernel.company_staged('kernel.listed_files'))
            INTO raised_columns
            USING raised_columns, (raises ->> 'kernel.files')::bigint, 'home', 'column', 'member', 'amount', '[]'::jsonb;
    END IF;
    SELECT coalesce(jsonb_object_agg(e.home, e.columns), '{}') INTO of_entries FROM (
        SELECT format('%s.%s', n.nspname, c.relname) AS home, jsonb_agg(r) AS columns
        FROM jsonb_to_recordset(raised_columns) AS r (home oid, "column" text, member text, amount bigint)
        JOIN pg_class AS c ON c.oid = r.home JOIN pg_namespace AS n ON n.oid = c.relnamespace
        GROUP BY 1
    ) AS e;

    -- The triggers.
    FOR part IN SELECT h.home, kernel.company_staged(h.home) AS staged FROM kernel.company_homes() AS h ORDER BY h.place LOOP
        CONTINUE WHEN part.staged IS NULL;
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', part.staged) INTO has_rows;
        IF has_rows THEN
            tables := tables || part.home;
        END IF;
    END LOOP;
    IF NOT kernel.company_quiet() AND cardinality(tables) > 0 THEN
        PERFORM kernel.company_lock('SHARE ROW EXCLUSIVE', VARIADIC tables);
        SELECT string_agg(
                format(
                    'ALTER TABLE %s ENABLE %s TRIGGER %I;', t.tgrelid::regclass,
                    CASE t.tgenabled WHEN 'A' THEN 'ALWAYS' ELSE '' END, t.tgname), ' ')
            INTO restoring FROM pg_trigger AS t
            WHERE t.tgrelid = ANY (tables) AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 4 = 4;
        EXECUTE regexp_replace(restoring, ' ENABLE (ALWAYS)? TRIGGER ', ' DISABLE TRIGGER ', 'g');
    END IF;

    company := coalesce(wanted, nextval('kernel.companies_id_seq'));
    INSERT INTO kernel.companies AS c (id, name) VALUES (company, companies_import.name);
    PERFORM setval('kernel.companies_id_seq', company) FROM kernel.companies_id_seq AS s WHERE s.last_value < company;
    PERFORM set_config('learntrack.company', company::text, true), set_config('learntrack.account', '', true);

    -- The persons, by their numbers as members. A new account keeps its number, which its passkeys have, if that is free; otherwise it
    -- has that of its member, as other accounts have.
    EXECUTE format(
        'CREATE TEMPORARY TABLE staged_accounts ON COMMIT DROP AS '
        'SELECT s.id AS member, s.email::text AS email, s.account_id AS was, a.id AS account, a.email::text AS known '
        'FROM %s AS s LEFT JOIN kernel.accounts AS a ON lower(a.email) = lower(s.email)', kernel.company_staged('public.users'));
    -- They stay until the end; one that is gone meanwhile is made anew. Without triggers no foreign key would say so.
    PERFORM FROM kernel.accounts AS a JOIN pg_temp.staged_accounts AS s ON s.account = a.id ORDER BY a.id FOR KEY SHARE OF a;
    UPDATE pg_temp.staged_accounts AS s SET account = NULL, known = NULL
        WHERE s.known IS NOT NULL AND NOT EXISTS (SELECT FROM kernel.accounts AS a WHERE a.id = s.account);
    UPDATE pg_temp.staged_accounts AS s
        SET account = CASE
            WHEN EXISTS (SELECT FROM kernel.accounts AS a WHERE a.id = s.was)
                OR EXISTS (SELECT FROM public.users AS u WHERE u.id = s.was)
                THEN s.member + coalesce((raises ->> 'public.users')::bigint, 0)
            ELSE s.was END
        WHERE s.known IS NULL;
    PERFORM setval('public.users_id_seq', (SELECT max(s.account) FROM pg_temp.staged_accounts AS s) + 1000)
        FROM public.users_id_seq AS q WHERE q.last_value <= (SELECT max(s.account) FROM pg_temp.staged_accounts AS s);
    INSERT INTO kernel.accounts AS a (id, email) SELECT s.account, s.email FROM pg_temp.staged_accounts AS s WHERE s.known IS NULL;
    staged := kernel.company_staged('public.credentials');
    EXECUTE format(
        'UPDATE %s AS s SET email = coalesce(a.known, a.email), account_id = a.account, '
        'joined_at = CASE WHEN a.known IS NULL THEN s.joined_at END, '
        'supabase_user_id = CASE WHEN a.known IS NULL AND $1 AND NOT EXISTS ('
        'SELECT FROM public.users AS u WHERE u.supabase_user_id = s.supabase_user_id) THEN s.supabase_user_id END '
        'FROM pg_temp.staged_accounts AS a WHERE a.member = s.id', kernel.company_staged('public.users'))
        USING staged IS NOT NULL;
    IF staged IS NOT NULL THEN
        EXECUTE format(
            'INSERT INTO public.credentials (user_id, password_hash) SELECT a.account, s.password_hash '
            'FROM %s AS s JOIN pg_temp.staged_accounts AS a USING (member) WHERE a.known IS NULL', staged);
        EXECUTE format(
            'WITH own AS ('
            'SELECT s.*, a.account, a.account = a.was AND NOT EXISTS ('
            'SELECT FROM kernel.passkeys AS p WHERE p.credential_id = s.credential_id) AS fits '
            'FROM %s AS s JOIN pg_temp.staged_accounts AS a USING (member) WHERE a.known IS NULL'
            '), entered AS ('
            'INSERT INTO kernel.passkeys (account_id, name, credential_id, public_key, sign_count, transports, created_at, '
            'last_used_at, may_be_backed_up) SELECT account, name, credential_id, public_key, sign_count, transports, created_at, '
            'last_used_at, may_be_backed_up FROM own WHERE fits) '
            'SELECT count(*) FROM own WHERE NOT fits', kernel.company_staged('kernel.passkeys')) INTO passkeys;

        -- What another company has holds for that one.
        EXECUTE format(
            'DELETE FROM %s AS s WHERE EXISTS (SELECT FROM public.access_keys AS k WHERE k.key_hash = s.key_hash)',
            kernel.company_staged('public.access_keys'));
        GET DIAGNOSTICS keys = ROW_COUNT;
        -- Servers look for keys that have changed of late.
        EXECUTE format('UPDATE %s SET changed_at = now()', kernel.company_staged('public.access_keys'));
        EXECUTE format(
            'DELETE FROM %s AS s WHERE EXISTS (SELECT FROM kernel.invitation_tokens AS i WHERE i.token_hash = s.token_hash)',
            kernel.company_staged('kernel.invitation_tokens'));
        IF raises ? 'kernel.subscriptions' THEN
            -- A link names its number.
            EXECUTE format('SELECT count(*) FROM %s', kernel.company_staged('kernel.subscriptions')) INTO links;
        END IF;
        IF raises <> '{}' THEN
            -- These answers name what has other numbers now.
            EXECUTE format(
                'DELETE FROM %s WHERE method ~ ''^(users|auth|files)[.]''', kernel.company_staged('kernel.idempotency'));
        END IF;
    END IF;
    staged := kernel.company_staged('kernel.signature_links');
    IF staged IS NOT NULL THEN
        EXECUTE format(
            'UPDATE %s AS s SET link_id = gen_random_uuid() WHERE EXISTS ('
            'SELECT FROM kernel.signature_links AS l WHERE l.link_id = s.link_id)', staged);
    END IF;

    FOR part IN
        SELECT t.home, kernel.company_staged(t.home) AS staged, names.given, names.values FROM kernel.company_homes() AS h
        JOIN kernel.company_tables(true) AS t ON t.home = h.home
        CROSS JOIN LATERAL (
            SELECT string_agg(quote_ident(g.name), ', ' ORDER BY g.number) AS given,
                string_agg(
                    CASE
                        WHEN raises <> '{}' AND t.home = 'public.journal'::regclass THEN CASE g.name
                            WHEN 'row_id' THEN 's.row_id + coalesce(($2 ->> concat(s.table_schema, ''.'', s.table_name))::bigint, 0)'
                            -- Most entries name neither, and a function for each would cost more than they do.
                            WHEN 'actor' THEN
                                'CASE WHEN jsonb_typeof(s.actor -> ''id'') = ''number'' THEN jsonb_set(s.actor, ''{id}'', to_jsonb('
                                '(s.actor ->> ''id'')::bigint + coalesce(($2 ->> ''public.users'')::bigint, 0))) ELSE s.actor END'
                            WHEN 'before' THEN
                                'CASE WHEN $3 ? concat(s.table_schema, ''.'', s.table_name) THEN '
                                'kernel.raised_entry(concat(s.table_schema, ''.'', s.table_name), s.before, $3) ELSE s.before END'
                            WHEN 'after' THEN
                                'CASE WHEN $3 ? concat(s.table_schema, ''.'', s.table_name) THEN '
                                'kernel.raised_entry(concat(s.table_schema, ''.'', s.table_name), s.after, $3) ELSE s.after END'
                            ELSE format('s.%I', g.name) END
                        WHEN r.amount IS NOT NULL AND r.is_number THEN format('s.%I + %s', g.name, r.amount)
                        WHEN r.amount IS NOT NULL THEN r.opening || format('s.%I', g.name) || r.closing
                        ELSE format('s.%I', g.name) END, ', ' ORDER BY g.number) AS values
            FROM unnest(t.columns) WITH ORDINALITY AS g (name, number)
            LEFT JOIN LATERAL (
                SELECT max(c.amount) AS amount, bool_or(c.member IS NULL) AS is_number, string_agg('kernel.raised_files(', '') AS opening,
                    string_agg(format(', %L, %s)', c.member, c.amount), '') AS closing
                FROM jsonb_to_recordset(raised_columns) AS c (home oid, "column" text, member text, amount bigint)
                WHERE c.home = t.home::oid AND c."column" = g.name
            ) AS r ON true
        ) AS names
        WHERE t.home = ANY (tables) ORDER BY h.place
    LOOP
        EXECUTE format(
            'INSERT INTO %s (company_id, %s) OVERRIDING SYSTEM VALUE SELECT $1, %s FROM %s AS s', part.home, part.given, part.values,
            part.staged) USING company, raises, of_entries;
    END LOOP;

    IF restoring IS NULL THEN
        PERFORM set_config('session_replication_role', 'origin', true);
    ELSE
        SET CONSTRAINTS ALL IMMEDIATE;
        EXECUTE restoring;
    END IF;

    PERFORM pg_notify('auth_access_key_changed', k.id::text) FROM public.access_keys AS k WHERE k.company_id = company;
    -- A device may show a company of the same number that was here before.
    INSERT INTO kernel.changes AS c (company_id, table_name, operation)
        SELECT company, r.relname, 'truncate' FROM pg_trigger AS t JOIN pg_class AS r ON r.oid = t.tgrelid
        WHERE t.tgname = 'kernel_feed' AND t.tgrelid IN (SELECT h.home FROM kernel.company_homes() AS h);
    IF invites THEN
        PERFORM kernel.invite(u.id) FROM public.users AS u WHERE u.company_id = company AND u.is_active;
    END IF;
    SELECT count(*), count(*) FILTER (WHERE u.joined_at IS NULL),
            count(*) FILTER (WHERE NOT EXISTS (SELECT FROM public.credentials AS c WHERE c.user_id = u.account_id))
        INTO members, invited, without_password FROM public.users AS u WHERE u.company_id = company AND u.is_active;
    ended := nullif(concat_ws(', ',
        CASE WHEN keys > 0 THEN format('%s access keys', keys) END, CASE WHEN links > 0 THEN format('%s subscriptions', links) END,
        CASE WHEN passkeys > 0 THEN format('%s passkeys', passkeys) END), '');
    RETURN NEXT;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.companies_import(text, bigint, boolean) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/companies_import.sql', 'b94621b3378cc5a8');
