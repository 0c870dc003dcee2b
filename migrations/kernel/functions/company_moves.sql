-- The copy of a company that moves, at the end where it arrives: rounds of rows in temporary tables of the session, each entered in one
-- transaction. The first round has all rows, the next ones those that were written since.

-- Makes or empties the temporary table for a part, and returns the COPY statement that fills it. With `of_keys`, for the keys of all rows.
CREATE OR REPLACE FUNCTION kernel.move_stage(name text, columns text[], of_keys boolean) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part record;
    staged text;
    list text;
BEGIN
    -- Kept for the session: the catalogue takes some time to read.
    IF to_regclass('pg_temp.move_parts') IS NULL THEN
        CREATE TEMPORARY TABLE move_parts AS
            SELECT p.*, h.place FROM kernel.company_parts(NULL) AS p LEFT JOIN kernel.company_homes() AS h ON h.home = p.home;
    END IF;
    SELECT * INTO part FROM pg_temp.move_parts AS p WHERE p.name = move_stage.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the table % is not there where the company moves to', move_stage.name
            USING ERRCODE = 'undefined_object', HINT = 'Apply the migrations of its domain there, or those that have added it.';
    ELSIF NOT (part.columns @> move_stage.columns AND part.columns <@ move_stage.columns) THEN
        RAISE EXCEPTION 'the table % has other columns where the company moves to: here %; there %', move_stage.name,
            array_to_string(move_stage.columns, ', '), array_to_string(part.columns, ', ')
            USING ERRCODE = 'undefined_object', HINT = 'Let the table be alike in both installations.';
    END IF;
    staged := CASE WHEN part.is_person THEN 'move_' || split_part(part.name, '.', 2)
        WHEN of_keys THEN format('move_keys_%s', part.home::oid) ELSE format('stage_%s', part.home::oid) END;
    IF to_regclass('pg_temp.' || staged) IS NULL THEN
        EXECUTE format(
            'CREATE TEMPORARY TABLE %s AS %s WITH NO DATA', staged,
            CASE WHEN of_keys THEN format('SELECT %s FROM %s AS t', part.keys, part.home) ELSE part.source END);
    ELSE
        EXECUTE format('TRUNCATE pg_temp.%s', staged);
    END IF;
    list := CASE WHEN of_keys THEN replace(part.keys, 't.', '') ELSE (
        SELECT string_agg(quote_ident(g.name), ', ' ORDER BY g.number)
        FROM unnest(move_stage.columns) WITH ORDINALITY AS g (name, number)) END;
    RETURN format('COPY pg_temp.%s (%s) FROM STDIN', staged, list);
END
$$;

-- Whether the company may arrive, as far as that shows before anything is copied: refuses, with what to do. True: it is arriving already,
-- by the same move.
CREATE OR REPLACE FUNCTION kernel.move_admit(own bigint, name text, move_id uuid) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    there kernel.companies;
BEGIN
    IF NOT EXISTS (SELECT FROM kernel.installation AS i WHERE i.closed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the installation that the company moves to serves one company'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run learntrack companies enable there.';
    ELSIF NOT kernel.company_quiet() THEN
        RAISE EXCEPTION 'the login of --into may not write without triggers'
            USING ERRCODE = 'insufficient_privilege',
                HINT = 'Let a superuser say there: GRANT SET ON PARAMETER session_replication_role TO the login.';
    END IF;
    SELECT * INTO there FROM kernel.companies AS c WHERE c.id = own;
    IF FOUND AND there.erasing_at IS NOT NULL THEN
        RAISE EXCEPTION 'the removal of company % has begun where this one moves to', own
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = format(
                    'Complete it there: learntrack companies erase %s --confirm %s. That of a copy is completed by --abandon, too.',
                    own, quote_literal(there.name));
    ELSIF FOUND AND there.move = 'arriving' AND there.move_id = move_admit.move_id THEN
        RETURN true;
    ELSIF FOUND AND there.move = 'arriving' THEN
        RAISE EXCEPTION 'company % is % where this one moves to, the copy of another move', own, there.name
            USING ERRCODE = 'unique_violation',
                HINT = format('Erase it there: learntrack companies erase %s --confirm %s.', own, quote_literal(there.name));
    ELSIF FOUND THEN
        RAISE EXCEPTION 'company % is % where this one moves to', own, there.name
            USING ERRCODE = 'unique_violation',
                HINT = 'A company keeps its id when it moves. Use companies export and import, which give it another one.';
    END IF;
    SELECT * INTO there FROM kernel.companies AS c WHERE lower(c.name) = lower(move_admit.name);
    IF FOUND THEN
        RAISE EXCEPTION 'company % is called % where this one moves to', there.id, there.name
            USING ERRCODE = 'unique_violation', HINT = 'Give one of them another name: learntrack companies rename.';
    ELSIF EXISTS (SELECT FROM kernel.company_counts(own)) THEN
        RAISE EXCEPTION 'a company % that was erased has left rows where this one moves to', own
            USING ERRCODE = 'unique_violation', HINT = 'Use companies export and import, which give it another id.';
    END IF;
    RETURN false;
END
$$;

-- The same once the first round is staged: refuses also what its rows are refused for, before anything is written.
CREATE OR REPLACE FUNCTION kernel.move_check(own bigint, name text, move_id uuid) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part record;
    taken record;
BEGIN
    IF kernel.move_admit(own, move_check.name, move_check.move_id) THEN
        RETURN true;
    END IF;
    PERFORM kernel.move_check_persons(own);
    -- What is unique over all companies.
    FOR part IN
        SELECT h.home, kernel.company_staged(h.home) AS staged, c.columns FROM kernel.company_homes() AS h
        JOIN pg_index AS i ON i.indrelid = h.home AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
        CROSS JOIN LATERAL (
            SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.number) AS columns, bool_or(a.attname = 'company_id') AS is_own
            FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, number)
            JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
        ) AS c
        WHERE NOT c.is_own AND kernel.company_staged(h.home) IS NOT NULL
    LOOP
        EXECUTE format(
            'SELECT t.company_id, count(*) OVER () AS number FROM %s AS t JOIN %s AS s USING (%s) LIMIT 1', part.home, part.staged,
            part.columns) INTO taken;
        IF taken.company_id IS NOT NULL THEN
            RAISE EXCEPTION '% of % is taken for % rows where the company moves to, by company %', part.columns, part.home,
                taken.number, taken.company_id
                USING ERRCODE = 'unique_violation',
                    HINT = 'These keep their values when a company moves. Use companies export and import, which give it others.';
        END IF;
    END LOOP;
    PERFORM kernel.company_check_staged();
    RETURN false;
END
$$;

-- The tables of which there are more rows than the other end has, once what is staged is entered: these have to be told which rows are
-- left. `rows` is the number at the other end, by table.
CREATE OR REPLACE FUNCTION kernel.move_gone(own bigint, rows jsonb) RETURNS TABLE (name text)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part record;
    expected bigint;
BEGIN
    FOR part IN
        SELECT p.*, kernel.company_staged(p.home) AS staged FROM pg_temp.move_parts AS p
        WHERE p.values IS NOT NULL AND p.keys IS NOT NULL AND kernel.company_staged(p.home) IS NOT NULL
    LOOP
        EXECUTE format(
            'SELECT (SELECT count(*) FROM %1$s WHERE company_id = $1) + (SELECT count(*) FROM %2$s AS t '
            'WHERE NOT EXISTS (SELECT FROM %1$s AS o WHERE o.company_id = $1 AND (%3$s) = (%4$s)))',
            part.home, part.staged, regexp_replace(part.keys, '(^|, )t\.', '\1o.', 'g'), part.keys) INTO expected USING own;
        IF expected > (rows ->> part.name)::bigint THEN
            name := part.name;
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;

-- Makes the company that arrives. Nobody acts in it yet.
CREATE OR REPLACE FUNCTION kernel.move_receive(own bigint, name text, move_id uuid) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.companies', 0));
    IF NOT kernel.move_check(own, move_receive.name, move_receive.move_id) THEN
        INSERT INTO kernel.companies (id, name, suspended_at, move, move_id, move_at)
            VALUES (own, move_receive.name, now(), 'arriving', move_receive.move_id, now());
        PERFORM setval('kernel.companies_id_seq', own) FROM kernel.companies_id_seq AS s WHERE s.last_value < own;
    END IF;
END
$$;

-- Enters the staged rows in place of those with the same keys, and removes those that are gone. Triggers do not run: rows are as they
-- were, with their journal. Returns how many rows were entered.
CREATE OR REPLACE FUNCTION kernel.move_enter(own bigint) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning
AS $$
DECLARE
    part record;
    left_keys regclass;
    leaving bigint[];
    changed bigint;
    entered bigint := 0;
BEGIN
    IF NOT EXISTS (SELECT FROM kernel.companies AS c WHERE c.id = own AND c.move = 'arriving') OR NOT kernel.company_quiet() THEN
        RAISE EXCEPTION 'company % is not arriving', own USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    PERFORM set_config('learntrack.company', own::text, true), set_config('learntrack.account', '', true);
    PERFORM kernel.move_accounts(own);
    FOR part IN
        SELECT p.*, kernel.company_staged(p.home) AS staged,
            CASE WHEN 'id' = ANY (p.columns) THEN pg_get_serial_sequence(p.home::text, 'id') END AS numbers
        FROM pg_temp.move_parts AS p
        -- A table that only this end has stays as it is.
        WHERE NOT p.is_person AND kernel.company_staged(p.home) IS NOT NULL ORDER BY p.place
    LOOP
        left_keys := to_regclass(format('pg_temp.move_keys_%s', part.home::oid));
        IF left_keys IS NOT NULL THEN
            IF part.home = 'public.users'::regclass THEN
                leaving := ARRAY(SELECT u.account_id FROM public.users AS u WHERE u.company_id = own);
            END IF;
            EXECUTE format(
                'DELETE FROM %s AS t WHERE t.company_id = $1 AND NOT EXISTS (SELECT FROM %s AS o WHERE (%s) = (%s))', part.home,
                left_keys, regexp_replace(part.keys, '(^|, )t\.', '\1o.', 'g'), part.keys) USING own;
            EXECUTE format('DROP TABLE %s', left_keys);
        END IF;
        EXECUTE CASE WHEN part.keys IS NULL THEN format('DELETE FROM %s AS t WHERE t.company_id = $1', part.home) ELSE format(
            'DELETE FROM %s AS t USING %s AS o WHERE t.company_id = $1 AND (%s) = (%s)', part.home, part.staged,
            regexp_replace(part.keys, '(^|, )t\.', '\1o.', 'g'), part.keys) END USING own;
        EXECUTE format(
            'INSERT INTO %s (company_id, %s) OVERRIDING SYSTEM VALUE SELECT $1, %2$s FROM %s', part.home,
            (SELECT string_agg(quote_ident(g.name), ', ' ORDER BY g.number)
                FROM unnest(part.columns) WITH ORDINALITY AS g (name, number)), part.staged) USING own;
        GET DIAGNOSTICS changed = ROW_COUNT;
        entered := entered + changed;
        -- What is added later has higher ids.
        IF part.numbers IS NOT NULL THEN
            EXECUTE format(
                'SELECT setval(%1$L, m.id + 1000) FROM %1$s AS s, (SELECT max(id) AS id FROM %2$s) AS m WHERE s.last_value <= m.id',
                part.numbers, part.staged);
        END IF;
    END LOOP;
    PERFORM kernel.move_secrets(own);
    -- The accounts of members that are gone.
    leaving := ARRAY(
        SELECT g FROM unnest(leaving) AS g
        WHERE NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = g)
            AND NOT EXISTS (SELECT FROM kernel.accounts AS a WHERE a.id = g AND a.is_operator));
    DELETE FROM public.credentials AS c WHERE c.user_id = ANY (leaving);
    DELETE FROM kernel.passkeys AS k WHERE k.account_id = ANY (leaving);
    DELETE FROM kernel.accounts AS a WHERE a.id = ANY (leaving);
    PERFORM set_config('session_replication_role', 'origin', true);
    RETURN entered;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.move_stage(text, text[], boolean), kernel.move_admit(bigint, text, uuid),
    kernel.move_check(bigint, text, uuid), kernel.move_gone(bigint, jsonb), kernel.move_receive(bigint, text, uuid),
    kernel.move_enter(bigint) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_moves.sql', '87fc5b99718c28b3');
