-- What each table with row-level security, whose rows belong to companies, needs to keep them apart.
--
-- roles       those that its policies name, but learntrack_auth, which signs people in to any company. None: it needs no more.
-- is_open     whether a policy lets everybody reach rows and does not name the company: no policy for roles closes that.
-- is_guarded  whether the table has what it needs
CREATE OR REPLACE FUNCTION kernel.company_guards()
    RETURNS TABLE (home regclass, roles oid[], is_open boolean, is_guarded boolean)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT c.oid::regclass, wanted.roles, wanted.is_open,
        NOT wanted.is_open AND CASE WHEN own.oid IS NULL THEN cardinality(wanted.roles) = 0 ELSE
            NOT own.polpermissive AND own.polcmd = '*' AND own.polwithcheck IS NULL
            AND pg_get_expr(own.polqual, own.polrelid) = '(company_id = kernel.company())'
            AND ARRAY(SELECT o FROM unnest(own.polroles) AS o ORDER BY o) = wanted.roles END
    FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'company_id' AND NOT a.attisdropped
    LEFT JOIN pg_policy AS own ON own.polrelid = c.oid AND own.polname = 'company'
    CROSS JOIN LATERAL (
        SELECT
            ARRAY(
                SELECT DISTINCT o FROM pg_policy AS p CROSS JOIN unnest(p.polroles) AS o
                WHERE p.polrelid = c.oid AND p.polname <> 'company' AND o <> 0
                    AND o <> coalesce(to_regrole('learntrack_auth')::oid, 0)
                ORDER BY o) AS roles,
            EXISTS (
                SELECT FROM pg_policy AS p
                WHERE p.polrelid = c.oid AND p.polname <> 'company' AND p.polpermissive AND 0 = ANY (p.polroles)
                    AND NOT EXISTS (
                        SELECT FROM pg_depend AS d
                        WHERE d.classid = 'pg_policy'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_class'::regclass
                            AND d.refobjid = c.oid AND d.refobjsubid = a.attnum)) AS is_open
    ) AS wanted
    WHERE c.relkind IN ('r', 'p') AND c.relrowsecurity
$$;

-- The tables that do not keep companies apart although the installation serves several: none, until somebody adds a table or a
-- policy by hand. The server asks when it starts.
CREATE OR REPLACE FUNCTION kernel.company_unguarded() RETURNS TABLE (home text, is_open boolean)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('%s.%s', c.relnamespace::regnamespace, quote_ident(c.relname)), g.is_open
    FROM kernel.company_guards() AS g JOIN pg_class AS c ON c.oid = g.home
    WHERE NOT g.is_guarded AND EXISTS (SELECT FROM kernel.installation AS i WHERE i.enabled_at IS NOT NULL)
    ORDER BY 1
$$;

-- Notes for `doctor` what companies_enable and companies_close make, as if a migration had.
CREATE OR REPLACE FUNCTION kernel.company_note() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- plpgsql, since the function that it calls comes after this file.
    WITH present AS MATERIALIZED (
        SELECT DISTINCT ON (s.fact) s.fact, s.subject, s.remedy FROM kernel.schema_facts_now() AS s
        WHERE s.is_own AND (s.fact LIKE 'policy company of %' OR s.fact = 'function kernel.company()'
            OR s.fact LIKE 'body % of function kernel.company()')
        ORDER BY s.fact
    ), removed AS (
        DELETE FROM kernel.schema_facts AS f
        WHERE (f.fact LIKE 'policy company of %' OR f.fact LIKE 'body % of function kernel.company()')
            AND NOT EXISTS (SELECT FROM present AS p WHERE p.fact = f.fact)
    )
    INSERT INTO kernel.schema_facts AS f (fact, subject, remedy)
    SELECT p.fact, p.subject, p.remedy FROM present AS p
    -- Not of a table that somebody has made by hand, nor of one that `migrate up` is about to note with all that it has.
    WHERE EXISTS (
        SELECT FROM kernel.schema_facts AS f WHERE f.subject = p.subject AND f.fact NOT LIKE 'policy company of %')
    ON CONFLICT ON CONSTRAINT schema_facts_pkey DO UPDATE SET subject = excluded.subject, remedy = excluded.remedy
    WHERE (f.subject, f.remedy) IS DISTINCT FROM (excluded.subject, excluded.remedy);
END
$$;

-- Keeps companies apart, where the installation serves several: gives each table a restrictive policy `company` for the roles that
-- its other policies name, and takes it away where they name none. A table that has it already is not locked. `migrate up` calls it
-- after it has applied files, for the tables and roles that they have added.
CREATE OR REPLACE FUNCTION kernel.company_policies() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning
AS $$
DECLARE
    tables regclass[];
    guard record;
BEGIN
    IF NOT EXISTS (SELECT FROM kernel.installation WHERE enabled_at IS NOT NULL) THEN
        RETURN;
    END IF;
    tables := ARRAY(SELECT g.home FROM kernel.company_guards() AS g WHERE NOT g.is_guarded AND NOT g.is_open);
    IF cardinality(tables) = 0 THEN
        RETURN;
    END IF;
    PERFORM kernel.company_lock('ACCESS EXCLUSIVE', VARIADIC tables);
    FOR guard IN SELECT * FROM kernel.company_guards() AS g WHERE g.home = ANY (tables) LOOP
        EXECUTE format('DROP POLICY IF EXISTS company ON %s', guard.home);
        IF cardinality(guard.roles) > 0 THEN
            EXECUTE format(
                'CREATE POLICY company ON %s AS RESTRICTIVE TO %s USING (company_id = kernel.company())', guard.home,
                (SELECT string_agg(quote_ident(r.rolname), ', ' ORDER BY r.rolname) FROM pg_roles AS r
                    WHERE r.oid = ANY (guard.roles)));
        END IF;
    END LOOP;
    PERFORM kernel.company_note();
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_guards(), kernel.company_unguarded(), kernel.company_note(), kernel.company_policies()
    FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_policies.sql', 'abac110e900a89e5');
