-- The record of applied migrations, and the three database roles.
--
-- Each file of this folder runs in one transaction: `learntrack migrate up` gives it one, and by hand it is
--     psql -v ON_ERROR_STOP=1 --single-transaction -f 0001_roles.sql
-- Each ends by writing down its own name; `learntrack migrate up` later adds the checksum of what psql applied.

DO $$
BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'the database must be encoded in UTF8, this one is in %', current_setting('server_encoding')
            USING HINT = 'CREATE DATABASE … TEMPLATE template0 ENCODING ''UTF8''';
    END IF;
END
$$;

CREATE TABLE IF NOT EXISTS public.learntrack_migrations (
    name text PRIMARY KEY,
    checksum text,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- Roles belong to the whole cluster: another database may have made them, or may be making them right now. A name
-- that appears between the question and CREATE ROLE, or a row of the catalogue that another transaction has just
-- changed, is no error: the next round of the loop sees it.
DO $$
DECLARE
    wanted text;
    -- Being a member suffices before Postgres 16; since then a membership says apart whether it allows SET ROLE.
    privilege text := CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['learntrack_user', 'learntrack_admin', 'learntrack_auth'] LOOP
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
    END LOOP;
END
$$;

INSERT INTO public.learntrack_migrations (name) VALUES ('0001_roles.sql') ON CONFLICT DO NOTHING;
