-- What the catalogue says about the schema, one fact a row, as kernel.schema_facts has them. What other versions of Postgres would
-- word in another way, such as the conditions of policies and constraints, is in the remedies only.
--
-- is_own  whether it is about something that the caller or a role of LearnTrack owns
CREATE OR REPLACE FUNCTION kernel.schema_facts_now()
    RETURNS TABLE (fact text, subject text, remedy text, is_own boolean)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    WITH schemas AS (
        SELECT n.oid, quote_ident(n.nspname) AS name, n.nspowner, n.nspacl FROM pg_namespace AS n
        WHERE n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
    ), owners AS (
        SELECT r.oid, r.rolname = current_user AS is_login,
            CASE WHEN r.rolname = current_user THEN 'the login' ELSE r.rolname END AS name,
            CASE WHEN r.rolname = current_user THEN 'CURRENT_USER' ELSE quote_ident(r.rolname) END AS term,
            r.rolname = current_user OR r.rolname LIKE 'learntrack\_%' AS is_own
        FROM pg_roles AS r
    ), grantees AS (
        SELECT r.oid, quote_ident(r.rolname) AS name FROM pg_roles AS r WHERE r.rolname LIKE 'learntrack\_%'
        UNION ALL
        SELECT 0, 'PUBLIC'
    ), tables AS (
        SELECT c.oid, s.name || '.' || quote_ident(c.relname) AS name, c.relkind, c.relacl, c.relowner,
            c.relrowsecurity, c.reloptions, o.is_own, o.name AS owner, o.term
        FROM pg_class AS c JOIN schemas AS s ON s.oid = c.relnamespace JOIN owners AS o ON o.oid = c.relowner
        WHERE c.relkind IN ('r', 'p', 'v', 'S')
            AND NOT EXISTS (
                SELECT FROM pg_depend AS d
                WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ), functions AS (
        SELECT p.oid, s.name || '.' || quote_ident(p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')'
                AS name,
            p.prosecdef, p.proacl, p.proowner, p.prosrc, o.is_own, o.name AS owner, o.term
        FROM pg_proc AS p JOIN schemas AS s ON s.oid = p.pronamespace JOIN owners AS o ON o.oid = p.proowner
        WHERE p.prokind IN ('f', 'p')
            AND NOT EXISTS (
                SELECT FROM pg_depend AS d
                WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    )
    SELECT 'extension ' || e.extname, NULL,
        format('CREATE EXTENSION IF NOT EXISTS %I SCHEMA %I', e.extname, n.nspname), true
    FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname <> 'plpgsql'
    UNION ALL
    -- What was noted before a file was applied says nothing about what the file has given.
    SELECT format('file %s/%s', m.domain, m.name), NULL, NULL, true FROM kernel.migrations AS m
    UNION ALL
    SELECT format('%s on schema %s for %s', a.privilege_type, s.name, g.name), NULL,
        format('GRANT %s ON SCHEMA %s TO %s', a.privilege_type, s.name, g.name), true
    FROM schemas AS s CROSS JOIN aclexplode(s.nspacl) AS a JOIN grantees AS g ON g.oid = a.grantee
    WHERE a.grantee NOT IN (0, s.nspowner)
    UNION ALL
    SELECT format('%s %s', CASE t.relkind WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view' ELSE 'table' END, t.name),
        t.name,
        CASE t.relkind
            WHEN 'v' THEN
                format('CREATE OR REPLACE VIEW %s%s AS %s', t.name,
                    ' WITH (' || array_to_string(t.reloptions, ', ') || ')', btrim(pg_get_viewdef(t.oid), E'; \n'))
            -- It continues after the last row. One that is made again has no rights.
            WHEN 'S' THEN (
                SELECT concat_ws(
                    '; ', format('CREATE SEQUENCE %s OWNED BY %s.%I', t.name, own.name, c.attname),
                    format('SELECT setval(%L, coalesce((SELECT max(%I) FROM %s), 0) + 1, false)', t.name, c.attname,
                        own.name),
                    (SELECT string_agg(
                            format('GRANT %s ON %s TO %s', a.privilege_type, t.name, g.name), '; '
                            ORDER BY g.name, a.privilege_type)
                        FROM aclexplode(t.relacl) AS a JOIN grantees AS g ON g.oid = a.grantee
                        WHERE a.grantee <> t.relowner))
                FROM pg_depend AS d JOIN tables AS own ON own.oid = d.refobjid
                JOIN pg_attribute AS c ON c.attrelid = own.oid AND c.attnum = d.refobjsubid
                WHERE d.classid = 'pg_class'::regclass AND d.objid = t.oid AND d.deptype = 'a'
                    AND d.refclassid = 'pg_class'::regclass) END,
        t.is_own
    FROM tables AS t
    UNION ALL
    SELECT format('%s as owner of %s', t.owner, t.name), t.name,
        format('ALTER TABLE %s OWNER TO %s', t.name, t.term), t.is_own
    -- The sequence of a column belongs to the owner of its table.
    FROM tables AS t WHERE t.relkind <> 'S'
    UNION ALL
    SELECT 'row-level security of ' || t.name, t.name, format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t.name),
        t.is_own
    FROM tables AS t WHERE t.relrowsecurity
    UNION ALL
    SELECT format('%s on %s for %s', a.privilege_type, t.name, g.name), t.name,
        format('GRANT %s ON %s TO %s', a.privilege_type, t.name, g.name), t.is_own
    FROM tables AS t CROSS JOIN aclexplode(t.relacl) AS a JOIN grantees AS g ON g.oid = a.grantee
    WHERE a.grantee <> t.relowner
    UNION ALL
    -- What is computed is not lost with its column.
    SELECT format('column %s.%I', t.name, c.attname), t.name,
        CASE c.attgenerated WHEN 's' THEN
            format('ALTER TABLE %s ADD COLUMN %I %s GENERATED ALWAYS AS (%s) STORED', t.name, c.attname,
                format_type(c.atttypid, c.atttypmod), pg_get_expr(d.adbin, d.adrelid)) END,
        t.is_own
    FROM tables AS t JOIN pg_attribute AS c ON c.attrelid = t.oid
    LEFT JOIN pg_attrdef AS d ON d.adrelid = c.attrelid AND d.adnum = c.attnum
    WHERE t.relkind <> 'S' AND c.attnum > 0 AND NOT c.attisdropped
    UNION ALL
    SELECT format('default of %s.%I', t.name, c.attname), t.name,
        format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', t.name, c.attname, pg_get_expr(d.adbin, d.adrelid)),
        t.is_own
    FROM tables AS t JOIN pg_attribute AS c ON c.attrelid = t.oid
    JOIN pg_attrdef AS d ON d.adrelid = c.attrelid AND d.adnum = c.attnum
    WHERE c.attgenerated = ''
    UNION ALL
    SELECT format('NOT NULL of %s.%I', t.name, c.attname), t.name,
        format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', t.name, c.attname), t.is_own
    FROM tables AS t JOIN pg_attribute AS c ON c.attrelid = t.oid
    WHERE t.relkind IN ('r', 'p') AND c.attnum > 0 AND c.attnotnull AND NOT c.attisdropped
    UNION ALL
    SELECT format('%s (%I) on %s for %s', a.privilege_type, c.attname, t.name, g.name), t.name,
        format('GRANT %s (%I) ON %s TO %s', a.privilege_type, c.attname, t.name, g.name), t.is_own
    FROM tables AS t JOIN pg_attribute AS c ON c.attrelid = t.oid
    CROSS JOIN aclexplode(c.attacl) AS a JOIN grantees AS g ON g.oid = a.grantee
    WHERE c.attnum > 0 AND NOT c.attisdropped
    UNION ALL
    SELECT format('constraint %I of %s', k.conname, t.name), t.name,
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', t.name, k.conname, pg_get_constraintdef(k.oid)), t.is_own
    FROM tables AS t JOIN pg_constraint AS k ON k.conrelid = t.oid
    WHERE k.contype IN ('p', 'u', 'c', 'f', 'x')
    UNION ALL
    SELECT format('validated constraint %I of %s', k.conname, t.name), t.name,
        format('ALTER TABLE %s VALIDATE CONSTRAINT %I', t.name, k.conname), t.is_own
    FROM tables AS t JOIN pg_constraint AS k ON k.conrelid = t.oid
    WHERE k.contype IN ('c', 'f') AND k.convalidated
    UNION ALL
    SELECT format('index %I of %s', n.relname, t.name), t.name, pg_get_indexdef(i.indexrelid), t.is_own
    FROM tables AS t JOIN pg_index AS i ON i.indrelid = t.oid JOIN pg_class AS n ON n.oid = i.indexrelid
    WHERE i.indisvalid AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.conrelid = t.oid)
    UNION ALL
    SELECT format('trigger %I of %s', g.tgname, t.name), t.name, pg_get_triggerdef(g.oid), t.is_own
    FROM tables AS t JOIN pg_trigger AS g ON g.tgrelid = t.oid
    -- Those of kernel.company_gates() come and go.
    WHERE NOT g.tgisinternal AND g.tgfoid IS DISTINCT FROM to_regprocedure('kernel.company_gate()')
    UNION ALL
    SELECT format('enabled trigger %I of %s', g.tgname, t.name), t.name,
        format('ALTER TABLE %s ENABLE TRIGGER %I', t.name, g.tgname), t.is_own
    FROM tables AS t JOIN pg_trigger AS g ON g.tgrelid = t.oid
    WHERE NOT g.tgisinternal AND g.tgenabled <> 'D' AND g.tgfoid IS DISTINCT FROM to_regprocedure('kernel.company_gate()')
    UNION ALL
    SELECT
        format(
            'policy %I of %s for %s to %s, %s', p.polname, t.name,
            CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE'
                ELSE 'ALL' END,
            r.names, CASE coalesce(pg_get_expr(p.polqual, p.polrelid), 'true') WHEN 'true' THEN 'all rows' ELSE 'some rows' END),
        t.name,
        format('DROP POLICY IF EXISTS %I ON %s; CREATE POLICY %1$I ON %2$s AS %s FOR %s TO %s', p.polname, t.name,
            CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
            CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE'
                ELSE 'ALL' END,
            r.names)
            || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
            || coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', ''),
        t.is_own
    FROM tables AS t JOIN pg_policy AS p ON p.polrelid = t.oid
    CROSS JOIN LATERAL (
        SELECT coalesce(string_agg(quote_ident(o.rolname), ', ' ORDER BY o.rolname), 'PUBLIC') AS names
        FROM pg_roles AS o WHERE o.oid = ANY (p.polroles)
    ) AS r
    UNION ALL
    -- A function that is made again has no rights but those of PUBLIC.
    SELECT 'function ' || f.name, f.name,
        concat_ws(
            '; ', btrim(pg_get_functiondef(f.oid), E' \n'),
            CASE WHEN NOT a.is_public THEN format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', f.name) END, a.grants),
        f.is_own
    FROM functions AS f CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(x.grantee = 0), false) AS is_public,
            string_agg(format('GRANT EXECUTE ON ROUTINE %s TO %s', f.name, g.name), '; ' ORDER BY g.name)
                FILTER (WHERE g.oid <> 0 AND g.oid <> f.proowner) AS grants
        FROM aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) AS x LEFT JOIN grantees AS g ON g.oid = x.grantee
    ) AS a
    UNION ALL
    SELECT format('%s as owner of function %s', f.owner, f.name), f.name,
        format('ALTER FUNCTION %s OWNER TO %s', f.name, f.term), f.is_own
    FROM functions AS f
    UNION ALL
    SELECT format('body %s of function %s', left(md5(f.prosrc), 8), f.name), f.name, NULL, f.is_own FROM functions AS f
    UNION ALL
    SELECT 'rights of the owner in function ' || f.name, f.name, format('ALTER FUNCTION %s SECURITY DEFINER', f.name),
        f.is_own
    FROM functions AS f WHERE f.prosecdef
    UNION ALL
    SELECT format('EXECUTE on function %s for %s', f.name, g.name), f.name,
        format('GRANT EXECUTE ON FUNCTION %s TO %s', f.name, g.name), f.is_own
    FROM functions AS f CROSS JOIN aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) AS a
    JOIN grantees AS g ON g.oid = a.grantee
    WHERE a.grantee <> f.proowner
$$;

REVOKE EXECUTE ON FUNCTION kernel.schema_facts_now() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/schema_facts_now.sql', '5b5f5b5e2deef0f0');
