-- A person is an account, with one address and one password; what it is in a company is a member, with a name and roles of its own.
-- Each row of users, which was both, is a member now. Its account, which passwords, sign-ins and passkeys belong to, has the same id.
--
-- An installation has one company so far, of which every account is a member.
--
-- Safe from: 1.0.0
-- Locks: users, and what belongs to accounts, against everything, while keys are built: a second for 10,000 accounts

-- Calls hold locks of several of these tables in orders of their own: as kernel.company_lock, which a database of before may lack.
DO $$
DECLARE
    waited text := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', '200ms', true);
    FOR attempt IN 1..600 LOOP
        BEGIN
            LOCK TABLE public.users, public.credentials, public.sign_ins, public.known_places, public.password_resets,
                kernel.passkeys, public.account_roles, public.access_keys, kernel.subscriptions, kernel.files,
                kernel.invitations, kernel.invitation_tokens,
                -- What the functions change, which the migrator applies in the same transaction.
                kernel.idempotency, kernel.file_pictures, kernel.listed_files, kernel.signatures,
                kernel.signature_documents, kernel.signatories, kernel.signature_links, public.journal
                IN ACCESS EXCLUSIVE MODE;
            PERFORM set_config('lock_timeout', waited, true);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            PERFORM pg_sleep(random() * 0.2);
        END;
    END LOOP;
    RAISE EXCEPTION 'other transactions keep users, or what belongs to accounts, locked'
        USING ERRCODE = 'lock_not_available', HINT = 'Apply the migration again when they have ended.';
END
$$;

CREATE TABLE kernel.companies (
    id bigserial CONSTRAINT companies_pkey PRIMARY KEY,
    name varchar(100) NOT NULL CONSTRAINT companies_name_check CHECK (kernel.is_visible(name)),
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON INDEX kernel.companies_pkey IS 'primary key';
INSERT INTO kernel.companies (name) VALUES ('LearnTrack');

CREATE TABLE kernel.accounts (
    -- Members and accounts have numbers of one sequence, so that a new account and its first member have the same.
    id bigint CONSTRAINT accounts_pkey PRIMARY KEY DEFAULT nextval('public.users_id_seq'),
    -- The address of its members, which have the checks.
    email varchar(255) NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_email_key ON kernel.accounts (lower(email));
COMMENT ON INDEX kernel.accounts_pkey IS 'primary key';
COMMENT ON INDEX kernel.accounts_email_key IS 'unique: an address has one account, in upper or lower case';

INSERT INTO kernel.accounts (id, email, created_at) SELECT id, email, created_at FROM public.users;

GRANT SELECT ON kernel.companies, kernel.accounts TO learntrack_auth;
ALTER TABLE kernel.companies ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY companies_auth ON kernel.companies FOR SELECT TO learntrack_auth USING (true);
CREATE POLICY accounts_auth ON kernel.accounts FOR SELECT TO learntrack_auth USING (true);

-- What proves who a person is refers to the account.
ALTER TABLE public.credentials
    DROP CONSTRAINT credentials_user_id_fkey,
    ADD CONSTRAINT credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES kernel.accounts (id) ON DELETE CASCADE;
ALTER TABLE public.sign_ins
    -- The company that the sign-in has entered last.
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT sign_ins_user_id_fkey,
    ADD CONSTRAINT sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES kernel.accounts (id) ON DELETE SET NULL;
ALTER TABLE public.known_places
    DROP CONSTRAINT known_places_user_id_fkey,
    ADD CONSTRAINT known_places_user_id_fkey FOREIGN KEY (user_id) REFERENCES kernel.accounts (id) ON DELETE CASCADE;
ALTER TABLE public.password_resets
    DROP CONSTRAINT password_resets_user_id_fkey,
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES kernel.accounts (id) ON DELETE CASCADE;
ALTER TABLE kernel.passkeys
    DROP CONSTRAINT passkeys_account_id_fkey,
    ADD CONSTRAINT passkeys_account_id_fkey FOREIGN KEY (account_id) REFERENCES kernel.accounts (id) ON DELETE CASCADE;

-- Members. The numbers are unique over all companies as long as no company was brought in from elsewhere, and the primary key says so:
-- the first files of domains refer to users (id).
ALTER TABLE public.users
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company()
        CONSTRAINT users_company_id_fkey REFERENCES kernel.companies (id),
    ADD COLUMN account_id bigint CONSTRAINT users_account_id_fkey REFERENCES kernel.accounts (id);
ALTER TABLE public.users DISABLE TRIGGER USER;
UPDATE public.users SET account_id = id;
ALTER TABLE public.users ENABLE TRIGGER USER;
ALTER TABLE public.users
    ALTER COLUMN account_id SET NOT NULL,
    ADD CONSTRAINT users_company_key UNIQUE (company_id, id);
DROP INDEX public.users_email_key, public.users_email_idx;
CREATE UNIQUE INDEX users_email_key ON public.users (company_id, lower(email));
-- After that of the address, which a second member of one address is to violate first.
ALTER TABLE public.users ADD CONSTRAINT users_account_id_key UNIQUE (company_id, account_id);
CREATE INDEX users_account_id_idx ON public.users (account_id, company_id);
CREATE INDEX users_email_idx ON public.users (company_id, email COLLATE public.francais, id);

COMMENT ON INDEX public.users_company_key IS 'unique; default order by id; foreign keys';
COMMENT ON INDEX public.users_account_id_key IS 'unique: an account is a member of a company once';
COMMENT ON INDEX public.users_pkey IS 'all companies: primary key';
COMMENT ON INDEX public.users_account_id_idx IS 'all companies: foreign key; the companies of an account';
COMMENT ON INDEX public.users_email_key IS 'unique: an address is that of one member of a company, in upper or lower case';
COMMENT ON INDEX public.users_email_idx IS 'default order';
COMMENT ON INDEX public.users_supabase_user_id_key IS 'all companies: unique; the account of a token of Supabase';

-- What a member has belongs to its company.
ALTER TABLE public.account_roles
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT account_roles_account_id_fkey,
    DROP CONSTRAINT account_roles_pkey, ADD CONSTRAINT account_roles_pkey PRIMARY KEY (company_id, id),
    ADD CONSTRAINT account_roles_account_id_fkey FOREIGN KEY (company_id, account_id)
        REFERENCES public.users (company_id, id) ON DELETE CASCADE;
DROP INDEX public.account_roles_role_key, public.account_roles_subject_idx;
CREATE UNIQUE INDEX account_roles_role_key ON public.account_roles (company_id, account_id, role, coalesce(subject, 0));
CREATE INDEX account_roles_subject_idx ON public.account_roles (company_id, subject) WHERE subject IS NOT NULL;
COMMENT ON INDEX public.account_roles_pkey IS 'primary key, default order';
COMMENT ON INDEX public.account_roles_role_key IS 'unique: a role once for each subject; foreign key; roles at sign-in';
COMMENT ON INDEX public.account_roles_subject_idx IS 'roles that end with a deleted subject';

-- Servers know keys by their ids, those of every company.
ALTER TABLE public.access_keys
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT access_keys_account_id_fkey,
    ADD CONSTRAINT access_keys_company_key UNIQUE (company_id, id),
    ADD CONSTRAINT access_keys_account_id_fkey FOREIGN KEY (company_id, account_id)
        REFERENCES public.users (company_id, id) ON DELETE CASCADE;
DROP INDEX public.access_keys_account_id_idx;
CREATE INDEX access_keys_account_id_idx ON public.access_keys (company_id, account_id);
COMMENT ON INDEX public.access_keys_company_key IS 'unique; the keys of a company';
COMMENT ON INDEX public.access_keys_account_id_idx IS 'foreign key';

-- The link of a subscription has its id, and names no company.
ALTER TABLE kernel.subscriptions
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT subscriptions_account_id_fkey,
    ADD CONSTRAINT subscriptions_company_key UNIQUE (company_id, id),
    ADD CONSTRAINT subscriptions_account_id_fkey FOREIGN KEY (company_id, account_id)
        REFERENCES public.users (company_id, id) ON DELETE CASCADE;
DROP INDEX kernel.subscriptions_account_id_idx;
CREATE INDEX subscriptions_account_id_idx ON kernel.subscriptions (company_id, account_id);
COMMENT ON INDEX kernel.subscriptions_company_key IS 'unique; the subscriptions of a company';
COMMENT ON INDEX kernel.subscriptions_account_id_idx IS 'foreign key; the subscriptions of an account';

ALTER TABLE kernel.files
    DROP CONSTRAINT files_account_id_fkey,
    ADD CONSTRAINT files_account_id_fkey FOREIGN KEY (company_id, account_id) REFERENCES public.users (company_id, id);

-- functions/invite.sql drops invitations_pkey, when it does not need it any more: calls go on between the two files.
ALTER TABLE kernel.invitations
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT invitations_user_id_fkey,
    DROP CONSTRAINT invitations_invited_by_fkey,
    ADD CONSTRAINT invitations_user_id_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES public.users (company_id, id) ON DELETE CASCADE,
    ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (company_id, invited_by)
        REFERENCES public.users (company_id, id) ON DELETE SET NULL (invited_by);
CREATE UNIQUE INDEX invitations_user_id_key ON kernel.invitations (company_id, user_id);
DROP INDEX kernel.invitations_invited_by_idx;
CREATE INDEX invitations_invited_by_idx ON kernel.invitations (company_id, invited_by);
COMMENT ON COLUMN public.users.account_id IS 'the person, who may be a member of other companies, too';
COMMENT ON COLUMN public.account_roles.account_id IS 'the member';
COMMENT ON COLUMN public.access_keys.account_id IS 'the member';
COMMENT ON COLUMN kernel.subscriptions.account_id IS 'the member';
COMMENT ON COLUMN kernel.files.account_id IS 'the member';
COMMENT ON COLUMN kernel.invitations.user_id IS 'the member';
COMMENT ON COLUMN kernel.invitation_tokens.user_id IS 'the member';
COMMENT ON COLUMN public.credentials.user_id IS 'the account';
COMMENT ON COLUMN public.sign_ins.user_id IS 'the account';
COMMENT ON COLUMN public.known_places.user_id IS 'the account';
COMMENT ON COLUMN public.password_resets.user_id IS 'the account';
COMMENT ON COLUMN kernel.passkeys.account_id IS 'the account';

COMMENT ON INDEX kernel.invitations_user_id_key IS 'unique; foreign key';
COMMENT ON INDEX kernel.invitations_invited_by_idx IS 'foreign key';
ALTER TABLE kernel.invitation_tokens
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT invitation_tokens_user_id_fkey,
    ADD CONSTRAINT invitation_tokens_user_id_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES public.users (company_id, id) ON DELETE CASCADE;
DROP INDEX kernel.invitation_tokens_user_id_idx;
CREATE INDEX invitation_tokens_user_id_idx ON kernel.invitation_tokens (company_id, user_id);
COMMENT ON INDEX kernel.invitation_tokens_user_id_idx IS 'foreign key';

-- As functions/keep_account.sql and functions/end_account.sql have it, which are applied after this file: servers of before enter and
-- change members, and know no accounts.
--
-- The account of a new member: that of its address, or a new one. A new account has the number of its first member.
--
-- The address is that of the person, and the members of an account have a copy. A call makes nobody a member who has an account
-- already, and once there are several companies changes no address and no account at Supabase: only the person does. The triggers for calls have an argument.
-- SECURITY DEFINER, since who administers the members of a company need not know who is a member of another one.
CREATE OR REPLACE FUNCTION kernel.keep_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    member public.users;
BEGIN
    WHILE NEW.account_id IS NULL LOOP
        INSERT INTO kernel.accounts AS a (id, email)
        VALUES (
            CASE WHEN EXISTS (SELECT FROM kernel.accounts AS known WHERE known.id = NEW.id)
                THEN nextval('public.users_id_seq') ELSE NEW.id END, NEW.email)
        ON CONFLICT (lower(email)) DO NOTHING RETURNING a.id INTO NEW.account_id;
        IF NEW.account_id IS NULL THEN
            -- Waits for a change of the address, and finds none then: the loop begins anew.
            SELECT a.id INTO NEW.account_id FROM kernel.accounts AS a WHERE lower(a.email) = lower(NEW.email) FOR SHARE;
            SELECT * INTO member FROM public.users AS u
            WHERE u.account_id = NEW.account_id ORDER BY u.company_id <> NEW.company_id LIMIT 1;
            -- A member of the same company is told of as one by the key of the address.
            IF TG_NARGS > 0 AND member.company_id <> NEW.company_id THEN
                RAISE EXCEPTION 'the person has an account, and is not invited' USING
                    ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'users', CONSTRAINT = 'users_email_elsewhere';
            END IF;
        END IF;
    END LOOP;
    IF TG_NARGS > 0 AND NEW.supabase_user_id IS NOT NULL AND (SELECT count(*) FROM kernel.companies) > 1 THEN
        RAISE EXCEPTION 'the account at Supabase is that of the person' USING
            ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'users', CONSTRAINT = 'users_supabase_of_person';
    END IF;
    RETURN NEW;
END
$$;

-- An address changes for the account, and so for each of its members.
CREATE OR REPLACE FUNCTION kernel.change_address() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_TABLE_NAME = 'users' THEN
        IF TG_NARGS > 0 AND (SELECT count(*) FROM kernel.companies) > 1 THEN
            RAISE EXCEPTION 'the address and the account at Supabase are those of the person' USING
                ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'users',
                CONSTRAINT = CASE WHEN OLD.email IS DISTINCT FROM NEW.email
                    THEN 'users_email_of_person' ELSE 'users_supabase_of_person' END;
        END IF;
        UPDATE kernel.accounts AS a SET email = NEW.email WHERE a.id = NEW.account_id AND a.email <> NEW.email;
    ELSE
        UPDATE public.users AS u SET email = NEW.email WHERE u.account_id = NEW.id AND u.email <> NEW.email;
    END IF;
    RETURN NULL;
EXCEPTION WHEN unique_violation THEN
    RAISE EXCEPTION 'another account has this address' USING
        ERRCODE = 'unique_violation', SCHEMA = 'public', TABLE = 'users', CONSTRAINT = 'users_email_key';
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.keep_account(), kernel.change_address() FROM PUBLIC;

CREATE OR REPLACE TRIGGER users_account BEFORE INSERT ON public.users
    FOR EACH ROW WHEN (current_user NOT IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION kernel.keep_account();
CREATE OR REPLACE TRIGGER users_account_of_call BEFORE INSERT ON public.users
    FOR EACH ROW WHEN (current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION kernel.keep_account('call');
CREATE OR REPLACE TRIGGER users_address AFTER UPDATE ON public.users
    FOR EACH ROW WHEN (
        OLD.email IS DISTINCT FROM NEW.email
        AND current_user NOT IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION kernel.change_address();
CREATE OR REPLACE TRIGGER users_address_of_call AFTER UPDATE ON public.users
    FOR EACH ROW WHEN (
        (OLD.email IS DISTINCT FROM NEW.email OR OLD.supabase_user_id IS DISTINCT FROM NEW.supabase_user_id)
        AND current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION kernel.change_address('call');
CREATE OR REPLACE TRIGGER accounts_address AFTER UPDATE ON kernel.accounts
    FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email) EXECUTE FUNCTION kernel.change_address();

-- Members are deactivated, not deleted. If one is deleted at psql, the account goes too, and its sign-ins end, unless it is a member of
-- another company.
CREATE OR REPLACE FUNCTION kernel.end_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM public.users AS u WHERE u.account_id = OLD.account_id) THEN
        -- The row is gone that says so.
        PERFORM pg_notify('auth_account_changed', format('ended %s %s', OLD.company_id, OLD.id));
    ELSE
        UPDATE public.sign_ins AS s SET ended_at = now() WHERE s.user_id = OLD.account_id AND s.ended_at IS NULL;
        DELETE FROM kernel.accounts AS a WHERE a.id = OLD.account_id;
    END IF;
    RETURN NULL;
END
$$;

-- TRUNCATE fires no trigger of rows.
CREATE OR REPLACE FUNCTION kernel.end_accounts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ended record;
BEGIN
    FOR ended IN
        UPDATE public.sign_ins AS s SET ended_at = now()
        WHERE s.ended_at IS NULL AND NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = s.user_id)
        RETURNING s.id
    LOOP
        PERFORM pg_notify('auth_sign_in_ended', ended.id::text);
    END LOOP;
    DELETE FROM kernel.accounts AS a WHERE NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = a.id);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.end_account(), kernel.end_accounts() FROM PUBLIC;

-- The trigger of before came before the deletion.
DROP TRIGGER IF EXISTS users_end ON public.users;
CREATE TRIGGER users_end AFTER DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION kernel.end_account();
CREATE OR REPLACE TRIGGER users_truncate AFTER TRUNCATE ON public.users
    FOR EACH STATEMENT EXECUTE FUNCTION kernel.end_accounts();

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0220_accounts.sql') ON CONFLICT DO NOTHING;
