-- The tables whose rows belong to companies: what a company has, all of it and nothing else.
--
-- They are found by their column company_id, those of domains too. Tables that others refer to come before these: in this order rows
-- are entered, and removed in the opposite one.
CREATE OR REPLACE FUNCTION kernel.company_homes() RETURNS TABLE (place integer, home regclass)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE homes AS (
        SELECT c.oid FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'company_id' AND NOT a.attisdropped
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        -- Another program's table may have a column of this name.
        WHERE c.relrowsecurity AND a.atttypid = 'bigint'::regtype AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't' AND n.nspname NOT LIKE 'pg\_%'
    ), parents AS (
        SELECT DISTINCT k.conrelid AS child, k.confrelid AS parent FROM pg_constraint AS k
        WHERE k.contype = 'f' AND k.conrelid <> k.confrelid
            AND k.conrelid IN (SELECT oid FROM homes) AND k.confrelid IN (SELECT oid FROM homes)
    ), depths (oid, depth) AS (
        SELECT h.oid, 0 FROM homes AS h
        UNION
        SELECT p.child, d.depth + 1 FROM depths AS d JOIN parents AS p ON p.parent = d.oid
        -- Tables that refer to each other in a circle have no order.
        WHERE d.depth < 100
    )
    SELECT (row_number() OVER (ORDER BY max(d.depth), n.nspname, c.relname))::integer, d.oid::regclass
    FROM depths AS d JOIN pg_class AS c ON c.oid = d.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
    GROUP BY d.oid, n.nspname, c.relname ORDER BY 1
$$;

-- The parts of the file of a company (learntrack companies export), in the order in which they are read and entered again.
--
-- with_access  whether the file has what people and devices sign in with, and what calls were answered of late: for a company that
--              moves. Without it nobody comes in by the file.
-- name         of the table, with its schema
-- columns      those that the file has: not the company, what is generated, nor numbers of transactions, which count those of this
--              server
-- source       the query of the rows, those of kernel.company()
--
-- Left out: the change feed, whose positions count transactions of this server; sign-ins, which belong to persons; messages of the
-- outbox, since a copy must not send once more what the company sends.
CREATE OR REPLACE FUNCTION kernel.company_tables(with_access boolean)
    RETURNS TABLE (home regclass, name text, columns text[], source text)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT h.home, format('%I.%I', n.nspname, c.relname), given.columns,
        format(
            'SELECT %s FROM %I.%I WHERE company_id = kernel.company()%s',
            (SELECT string_agg(quote_ident(name), ', ' ORDER BY number)
                FROM unnest(given.columns) WITH ORDINALITY AS g (name, number)),
            n.nspname, c.relname, ' ORDER BY ' || (
                SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.number)
                FROM pg_index AS i CROSS JOIN unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, number)
                JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                WHERE i.indrelid = h.home AND i.indisprimary))
    FROM kernel.company_homes() AS h
    JOIN pg_class AS c ON c.oid = h.home
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    CROSS JOIN LATERAL (
        SELECT array_agg(a.attname::text ORDER BY a.attnum) AS columns FROM pg_attribute AS a
        WHERE a.attrelid = h.home AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attname <> 'company_id'
            AND a.atttypid <> 'xid8'::regtype
    ) AS given
    WHERE h.home <> ALL (ARRAY['kernel.changes', 'kernel.outbox', 'public.sign_ins']::regclass[])
        AND (with_access OR h.home <> ALL (
            ARRAY['public.access_keys', 'kernel.subscriptions', 'kernel.invitation_tokens', 'kernel.idempotency']::regclass[]))
    UNION ALL
    -- Of the persons, by their numbers as members.
    SELECT a.home, a.name, a.columns,
        format(
            'SELECT u.id AS member, %s FROM public.users AS u JOIN %s AS t ON t.%I = u.account_id '
            'WHERE u.company_id = kernel.company() ORDER BY 1',
            (SELECT string_agg(format('t.%I', column_name), ', ' ORDER BY number)
                FROM unnest(a.columns[2:]) WITH ORDINALITY AS g (column_name, number)), a.name, a.account)
    FROM (VALUES
        ('public.credentials'::regclass, 'public.credentials', ARRAY['member', 'password_hash'], 'user_id'),
        ('kernel.passkeys', 'kernel.passkeys', ARRAY[
            'member', 'name', 'credential_id', 'public_key', 'sign_count', 'transports', 'created_at', 'last_used_at',
            'may_be_backed_up'], 'account_id')
    ) AS a (home, name, columns, account)
    WHERE with_access
$$;

-- How many rows the company has in each of its tables, where it has any, beside the change feed.
CREATE OR REPLACE FUNCTION kernel.company_counts(counted bigint) RETURNS TABLE (name text, rows bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    home regclass;
BEGIN
    FOR home, name IN
        SELECT h.home, format('%I.%I', n.nspname, c.relname) FROM kernel.company_homes() AS h
        JOIN pg_class AS c ON c.oid = h.home JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE h.home <> ALL (ARRAY['kernel.changes', 'public.sign_ins']::regclass[]) ORDER BY 2
    LOOP
        EXECUTE format('SELECT count(*) FROM %s WHERE company_id = $1', home) INTO rows USING counted;
        IF rows > 0 THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;

-- Lets this transaction write without triggers, also without those that check foreign keys: false where the login may not. A
-- superuser may, and who was given it: GRANT SET ON PARAMETER session_replication_role TO …
CREATE OR REPLACE FUNCTION kernel.company_quiet() RETURNS boolean
    LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    RETURN true;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN false;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_homes(), kernel.company_tables(boolean), kernel.company_counts(bigint),
    kernel.company_quiet() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_tables.sql', '6c44dd8e19ca16b8');
