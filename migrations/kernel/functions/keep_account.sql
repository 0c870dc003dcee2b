-- The account of a new member: that of its address, or a new one. A new account has the number of its first member.
--
-- The address is that of the person, and the members of an account have a copy. A call makes nobody a member who has an account
-- already, and once there are several companies changes no address and no account at Supabase: only the person does. The triggers for calls have an argument.
-- SECURITY DEFINER, since who administers the members of a company need not know who is a member of another one.
CREATE OR REPLACE FUNCTION kernel.keep_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
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
        END IF;
    END LOOP;
    IF TG_NARGS > 0 AND (SELECT count(*) FROM kernel.companies) > 1 THEN
        NEW.joined_at := NULL;
    END IF;
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

SELECT kernel.note_file('kernel', 'functions/keep_account.sql', 'a51f4af5effb4c2b');
