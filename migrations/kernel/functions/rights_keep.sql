-- Gives a database role rights to a table: what an entity's Access says of one role, in one call.
--
--     SELECT kernel.rights_keep('bookshop.books', 'learntrack_user', readable => '*');
--     SELECT kernel.rights_keep('bookshop.books', 'learntrack_admin', '*', 'title, price', 'title, price', deletes => true);
--     SELECT kernel.rights_keep('bookshop.wishes', 'learntrack_bookshop_reader', '*', 'reader_id, book_id', deletes => true,
--         own => 'reader_id');
--
-- The rights to the schema and to the sequence of `id` go with it. Row-level security is on afterwards, and a policy for each
-- operation lets the role reach every row, or with `own` those that name its subject in this column. A further call adds rights, and
-- replaces the policies that an earlier one has made for the operations that it names; policies of other names stay. With a list of
-- `readable` columns the role reads no others.
--
-- readable, created, updated: the columns, separated by commas; `*` for all, of `created` and `updated` all but `id` and what the
-- database keeps itself (`company_id`, `created_at`, `updated_at`, `version`, `search_text`). Null: no such right.
CREATE OR REPLACE FUNCTION kernel.rights_keep(
    kept regclass, role name, readable text DEFAULT NULL, created text DEFAULT NULL, updated text DEFAULT NULL,
    deletes boolean DEFAULT false, own text DEFAULT NULL)
    RETURNS void
    LANGUAGE plpgsql SET client_min_messages = warning
AS $$
DECLARE
    short name;
    home name;
    sequence text := pg_get_serial_sequence(kept::text, 'id');
    condition text := CASE WHEN own IS NULL THEN 'true' ELSE format('%I = kernel.subject()', own) END;
    wanted record;
    columns text;
    policy name;
BEGIN
    SELECT c.relname, n.nspname INTO short, home
        FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = kept;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', home, role);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', kept);
    FOR wanted IN
        SELECT * FROM (VALUES
            ('SELECT', readable, 'USING (%s)'), ('INSERT', created, 'WITH CHECK (%s)'),
            ('UPDATE', updated, 'USING (%1$s) WITH CHECK (%1$s)'), ('DELETE', CASE WHEN deletes THEN '' END, 'USING (%s)')
        ) AS v (privilege, given, clause)
        WHERE v.given IS NOT NULL
    LOOP
        columns := CASE
            WHEN wanted.privilege = 'DELETE' OR wanted.privilege = 'SELECT' AND wanted.given = '*' THEN ''
            WHEN wanted.given = '*' THEN (
                SELECT format(' (%s)', string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum))
                FROM pg_catalog.pg_attribute AS a
                WHERE a.attrelid = kept AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                    AND a.attname <> ALL (ARRAY['company_id', 'id', 'created_at', 'updated_at', 'version', 'search_text']))
            ELSE (
                SELECT format(' (%s)', string_agg(quote_ident(btrim(name)), ', ' ORDER BY place))
                FROM string_to_table(wanted.given, ',') WITH ORDINALITY AS t (name, place))
        END;
        IF wanted.privilege = 'SELECT' AND columns <> '' THEN
            EXECUTE format('REVOKE SELECT ON %s FROM %I', kept, role);
            -- The statements of the server compare it.
            IF EXISTS (SELECT FROM pg_catalog.pg_attribute WHERE attrelid = kept AND attname = 'company_id') THEN
                EXECUTE format('GRANT SELECT (company_id) ON %s TO %I', kept, role);
            END IF;
        END IF;
        EXECUTE format('GRANT %s%s ON %s TO %I', wanted.privilege, columns, kept, role);
        policy := format('%s_%s_%s', short, lower(wanted.privilege), regexp_replace(role, '^learntrack_', ''));
        EXECUTE format('DROP POLICY IF EXISTS %I ON %s', policy, kept);
        EXECUTE format(
            'CREATE POLICY %I ON %s FOR %s TO %I %s', policy, kept, wanted.privilege, role, format(wanted.clause, condition));
    END LOOP;
    IF created IS NOT NULL AND sequence IS NOT NULL THEN
        EXECUTE format('GRANT USAGE ON SEQUENCE %s TO %I', sequence, role);
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.rights_keep(regclass, name, text, text, text, boolean, text) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/rights_keep.sql', '56dce134e5b4ddbd');
