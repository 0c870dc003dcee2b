-- What a move copies of a company, and how it compares both ends.
--
-- since    a transaction number of the database, from pg_snapshot_xmin: rows that were written from it on, and perhaps some before;
--          null: all
-- name     of the table, with its schema
-- columns  those that are copied
-- source   the query of the rows; those of persons are always all, since they are few
-- keys     the columns of the primary key, or another unique one, but the company, of the table as t; null for a table without one, of
--          which all rows are copied each time
-- values   the columns that are compared, of the table as t; null where both ends may differ: rows of persons
-- recent   the condition on t that chooses the rows of `source`
-- is_person  whether these are rows of persons, by their numbers as members
--
-- Left out is what the installation counts for bills.
--
-- A row's xmin is the transaction that has written it, so nothing needs to be noted while calls go on. What is removed shows in the
-- number of rows.
CREATE OR REPLACE FUNCTION kernel.company_parts(since text)
    RETURNS TABLE (home regclass, name text, columns text[], source text, keys text, "values" text, recent text, is_person boolean)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT t.home, t.name, t.columns,
        CASE WHEN h.home IS NULL THEN t.source
            ELSE format('SELECT %s FROM %s AS t WHERE t.company_id = kernel.company() AND %s', own.columns, t.name, own.recent) END,
        CASE WHEN h.home IS NOT NULL THEN own.keys END,
        CASE WHEN h.home IS NOT NULL THEN own.values END, own.recent, h.home IS NULL
    FROM kernel.company_tables(true) AS t
    LEFT JOIN kernel.company_homes() AS h ON h.home = t.home
    CROSS JOIN LATERAL (
        SELECT
            (SELECT string_agg(format('t.%I', g.name), ', ' ORDER BY g.number)
                FROM unnest(t.columns) WITH ORDINALITY AS g (name, number)) AS columns,
            -- A member finds its account by the address, and servers note uses of keys and links at any time.
            (SELECT string_agg(format('t.%I', g.name), ', ' ORDER BY g.number)
                FROM unnest(t.columns) WITH ORDINALITY AS g (name, number)
                WHERE (t.name, g.name) NOT IN (
                    ('public.users', 'account_id'), ('public.access_keys', 'changed_at'),
                    ('public.access_keys', 'last_used_at'), ('kernel.subscriptions', 'last_used_at'))) AS values,
            key.list AS keys,
            CASE WHEN since IS NULL OR key.list IS NULL THEN 'true' ELSE format('age(t.xmin) <= age(%L::xid8::xid)', since) END AS recent
        FROM (VALUES (true)) AS one LEFT JOIN LATERAL (
            SELECT string_agg(format('t.%I', a.attname), ', ' ORDER BY k.number) AS list
            FROM pg_index AS i CROSS JOIN unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, number)
            JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND a.attname <> 'company_id'
            WHERE i.indrelid = t.home AND i.indisunique AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
            GROUP BY i.indexrelid, i.indisprimary ORDER BY i.indisprimary DESC, i.indexrelid LIMIT 1
        ) AS key ON true
    ) AS own
    WHERE t.home <> 'kernel.usage'::regclass
    UNION ALL
    -- Of the persons, beside what they sign in with: by their numbers as members.
    SELECT p.home, p.name, p.columns, p.source, NULL, NULL, NULL, true FROM (
        SELECT 'kernel.accounts'::regclass AS home, 'kernel.accounts' AS name, ARRAY['member', 'was', 'email'] AS columns,
            'SELECT u.id AS member, u.account_id AS was, u.email FROM public.users AS u WHERE u.company_id = kernel.company()'
                AS source
        UNION ALL
        SELECT 'public.sign_ins', 'public.sign_ins', 'member'::text || array_agg(a.attname::text ORDER BY a.attnum),
            format(
                'SELECT u.id AS member, %s FROM public.users AS u JOIN public.sign_ins AS t ON t.user_id = u.account_id '
                'WHERE u.company_id = kernel.company() AND t.company_id = u.company_id AND t.ended_at IS NULL',
                string_agg(format('t.%I', a.attname), ', ' ORDER BY a.attnum))
        FROM pg_attribute AS a
        WHERE a.attrelid = 'public.sign_ins'::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
            AND a.attname NOT IN ('company_id', 'user_id')
    ) AS p
$$;

-- How many rows each table has of the company in which the transaction acts, and the digest of those that were written since.
CREATE OR REPLACE FUNCTION kernel.company_tallies(since text) RETURNS TABLE (name text, rows bigint, digest bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part record;
BEGIN
    FOR part IN SELECT * FROM kernel.company_parts(since) AS p WHERE p.values IS NOT NULL LOOP
        name := part.name;
        EXECUTE format(
            'SELECT count(*), coalesce(bit_xor(hashtextextended(ROW(%s)::text, 0)) FILTER (WHERE %s), 0) FROM %s AS t '
            'WHERE t.company_id = kernel.company()', part.values, part.recent, part.home) INTO rows, digest;
        RETURN NEXT;
    END LOOP;
END
$$;

-- The same, of the rows that were entered last (kernel.move_enter): by their keys, since they were written here at other times. Tables
-- that were filled a moment ago look empty to the planner, which would compare each of their rows with each other one.
CREATE OR REPLACE FUNCTION kernel.company_entered() RETURNS TABLE (name text, rows bigint, digest bigint)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_nestloop = off
AS $$
DECLARE
    part record;
BEGIN
    FOR part IN SELECT * FROM pg_temp.move_parts AS p WHERE p.values IS NOT NULL LOOP
        name := part.name;
        EXECUTE format('SELECT count(*) FROM %s AS t WHERE t.company_id = kernel.company()', part.home) INTO rows;
        digest := 0;
        IF kernel.company_staged(part.home) IS NOT NULL THEN
            EXECUTE format(
                'SELECT coalesce(bit_xor(hashtextextended(ROW(%s)::text, 0)), 0) FROM %s AS t '
                'WHERE t.company_id = kernel.company() AND %s', part.values, part.home,
                CASE WHEN part.keys IS NULL THEN 'true'
                    ELSE format('(%s) IN (SELECT %1$s FROM %s AS t)', part.keys, kernel.company_staged(part.home)) END) INTO digest;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_parts(text), kernel.company_tallies(text), kernel.company_entered() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_values.sql', 'c79287ebbe148cbb');
