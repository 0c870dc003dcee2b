-- The schema of the kernel, the record of applied migrations, and the three database roles.
--
-- Files with a number run once, in the order of their names, each in one transaction. `learntrack migrate up` begins
-- it; by hand it is
--     psql -v ON_ERROR_STOP=1 --single-transaction -f kernel/0001_roles.sql
-- Each ends by recording its own name. `learntrack migrate up` later adds the checksum of what psql applied.
--
-- Then come the files of functions/, in the order of their names. They replace what they define, and run again when they
-- have changed. What an index, a constraint or a stored value rests on is in a numbered file instead.
--
-- The folders are those of the kernel and of the domains that are served, in that order.
--
-- Each file with a number begins with what it does, the oldest version of the server that may serve beside it (`Safe from`),
-- and what it locks against what and for how long (`Locks`). The versions before may serve while it runs and afterwards if
-- it only adds: tables, columns that may be empty, indexes. A file that changes or takes what an older version reads names
-- its own version, and is therefore applied a version later than the one that no longer reads it.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

DO $$
BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'the database must be encoded in UTF8, this one is in %', current_setting('server_encoding')
            USING HINT = 'CREATE DATABASE … TEMPLATE template0 ENCODING ''UTF8''';
    END IF;
END
$$;

CREATE SCHEMA IF NOT EXISTS kernel;

CREATE TABLE IF NOT EXISTS kernel.migrations (
    -- `kernel`, or the name of a domain.
    domain text,
    -- The path in the folder of the domain.
    name text,
    checksum text,
    applied_at timestamptz NOT NULL DEFAULT now(),
    -- The version of the server that applied it; null when it was run by hand.
    applied_by text,
    -- The oldest version of the server that may serve beside it, as the file says.
    safe_from text,
    CONSTRAINT migrations_pkey PRIMARY KEY (domain, name)
);

COMMENT ON INDEX kernel.migrations_pkey IS 'primary key';

-- Creates a database role where it is missing, grants it to the login that owns the schema, and lets it use what the kernel
-- has for all roles: what the migrations of a domain with roles of its own call.
--
-- Roles belong to the whole cluster: another database may have made them, or may be making them right now. A name
-- that appears between the question and CREATE ROLE, or a row of the catalogue that another transaction has just
-- changed, is no error: the next round of the loop sees it.
CREATE FUNCTION kernel.role_keep(wanted name) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    -- Being a member suffices before Postgres 16; since then a membership says apart whether it allows SET ROLE.
    privilege text := CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END;
BEGIN
    FOR attempt IN 1..20 LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            END IF;
            IF NOT pg_catalog.pg_has_role(current_user, wanted, privilege) THEN
                EXECUTE format('GRANT %I TO %I', wanted, current_user);
            END IF;
            EXIT;
        EXCEPTION
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION '% may neither create the role % nor grant it to itself', current_user, wanted
                    USING ERRCODE = 'insufficient_privilege',
                        HINT = format('Have an administrator run: CREATE ROLE %1$I NOLOGIN (where it is missing); '
                            'GRANT %1$I TO %2$I;', wanted, current_user);
            WHEN duplicate_object OR unique_violation OR internal_error THEN
                IF attempt = 20 THEN
                    RAISE;
                END IF;
                PERFORM pg_catalog.pg_sleep(0.05);
        END;
    END LOOP;
    EXECUTE format('GRANT USAGE ON SCHEMA public, kernel TO %I', wanted);
    -- The roles of the kernel are older than the journal.
    IF to_regclass('public.journal') IS NOT NULL THEN
        EXECUTE format('GRANT SELECT ON public.journal TO %I', wanted);
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.role_keep(name) FROM PUBLIC;

SELECT kernel.role_keep(role) FROM unnest(ARRAY['learntrack_user', 'learntrack_admin', 'learntrack_auth']) AS role;

GRANT SELECT ON kernel.migrations TO learntrack_user, learntrack_admin, learntrack_auth;
ALTER TABLE kernel.migrations ENABLE ROW LEVEL SECURITY;
CREATE POLICY migrations_all ON kernel.migrations FOR SELECT
    TO learntrack_user, learntrack_admin, learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0001_roles.sql') ON CONFLICT DO NOTHING;
