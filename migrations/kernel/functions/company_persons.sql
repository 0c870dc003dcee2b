-- The persons of a company that arrives from another installation: each member keeps its number, and finds its account by its address.
-- A person who has an account here already is the same one if the password is: both come from the installation that the company
-- leaves. Nobody becomes a member of a company, or takes an account over, by an address alone.
--
-- What the members have and sign in with is in temporary tables (kernel.move_stage): move_accounts, move_credentials, move_passkeys,
-- move_sign_ins.

-- The accounts of the members: the one that a member has here, or that has the address; null for one that is to be made. `is_met`: the
-- member is not here yet, and its account is, in another company or as that of an operator. One that an earlier round has made, for a
-- member that was removed and invited again, is that person's.
CREATE OR REPLACE FUNCTION kernel.move_persons(own bigint)
    RETURNS TABLE (member bigint, was bigint, email text, account bigint, is_met boolean)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.member, s.was, s.email::text, coalesce(u.account_id, a.id),
        u.id IS NULL AND a.id IS NOT NULL AND (
            a.is_operator OR EXISTS (SELECT FROM public.users AS o WHERE o.account_id = a.id AND o.company_id <> own)
            OR NOT EXISTS (SELECT FROM public.users AS o WHERE o.account_id = a.id))
    FROM pg_temp.move_accounts AS s LEFT JOIN public.users AS u ON u.company_id = own AND u.id = s.member
    LEFT JOIN kernel.accounts AS a ON lower(a.email) = lower(s.email);
END
$$;

-- Refuses a member whose account here differs, or has no password that could tell.
CREATE OR REPLACE FUNCTION kernel.move_check_persons(own bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    differing text;
BEGIN
    SELECT string_agg(p.email, ', ' ORDER BY p.email) INTO differing FROM kernel.move_persons(own) AS p
    LEFT JOIN public.credentials AS c ON c.user_id = p.account
    LEFT JOIN pg_temp.move_credentials AS s ON s.member = p.member
    WHERE p.is_met AND (s.password_hash IS NULL OR c.password_hash IS DISTINCT FROM s.password_hash);
    IF differing IS NOT NULL THEN
        RAISE EXCEPTION 'where the company moves to, other accounts have these addresses: %', differing
            USING ERRCODE = 'unique_violation',
                HINT = 'Remove these members and invite them again there; or use companies export and import, which invites them.';
    END IF;
END
$$;

-- Makes the accounts that are missing, and gives those of staged members to their rows. A new account keeps its number, which its
-- passkeys have, if that is free.
CREATE OR REPLACE FUNCTION kernel.move_accounts(own bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    person record;
    greatest_id bigint;
BEGIN
    PERFORM kernel.move_check_persons(own);
    SELECT max(greatest(s.member, s.was)) INTO greatest_id FROM pg_temp.move_accounts AS s;
    PERFORM setval('public.users_id_seq', greatest_id + 1000) FROM public.users_id_seq AS q WHERE q.last_value <= greatest_id;
    FOR person IN SELECT * FROM kernel.move_persons(own) LOOP
        IF person.account IS NULL THEN
            person.account := person.was;
            IF EXISTS (SELECT FROM kernel.accounts AS a WHERE a.id = person.was) THEN
                person.account := nextval('public.users_id_seq');
            END IF;
            INSERT INTO kernel.accounts (id, email) VALUES (person.account, person.email);
        ELSE
            -- The person may have changed the address meanwhile, and has it in every company.
            UPDATE kernel.accounts AS a SET email = person.email WHERE a.id = person.account AND a.email <> person.email;
            UPDATE public.users AS u SET email = person.email WHERE u.account_id = person.account AND u.email <> person.email;
        END IF;
        EXECUTE format('UPDATE %s SET account_id = $1 WHERE id = $2', kernel.company_staged('public.users'))
            USING person.account, person.member;
    END LOOP;
END
$$;

-- Enters what the members sign in with: all of it, in place of what is here. Who is a member of another company here, too, or an operator,
-- keeps what it has. Passkeys hold where the account has its number still.
CREATE OR REPLACE FUNCTION kernel.move_secrets(own bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    alone bigint[] := ARRAY(
        SELECT u.account_id FROM public.users AS u
        WHERE u.company_id = own
            AND NOT EXISTS (SELECT FROM public.users AS o WHERE o.account_id = u.account_id AND o.company_id <> own)
            AND NOT EXISTS (SELECT FROM kernel.accounts AS a WHERE a.id = u.account_id AND a.is_operator));
    columns text;
BEGIN
    DELETE FROM public.credentials AS c WHERE c.user_id = ANY (alone);
    INSERT INTO public.credentials (user_id, password_hash)
        SELECT u.account_id, s.password_hash FROM pg_temp.move_credentials AS s
        JOIN public.users AS u ON u.company_id = own AND u.id = s.member WHERE u.account_id = ANY (alone);
    DELETE FROM kernel.passkeys AS k WHERE k.account_id = ANY (alone);
    INSERT INTO kernel.passkeys (
            account_id, name, credential_id, public_key, sign_count, transports, created_at, last_used_at, may_be_backed_up)
        SELECT u.account_id, s.name, s.credential_id, s.public_key, s.sign_count, s.transports, s.created_at, s.last_used_at,
            s.may_be_backed_up
        FROM pg_temp.move_passkeys AS s JOIN public.users AS u ON u.company_id = own AND u.id = s.member
        JOIN pg_temp.move_accounts AS a ON a.member = s.member AND a.was = u.account_id
        WHERE u.account_id = ANY (alone)
            AND NOT EXISTS (SELECT FROM kernel.passkeys AS k WHERE k.credential_id = s.credential_id);
    -- Those that earlier rounds have entered are entered again if they hold still. Who has signed in here meanwhile, since servers read
    -- the company already, stays so. The first round removes what a run has left that was stopped.
    IF to_regclass('pg_temp.move_signed') IS NULL THEN
        CREATE TEMPORARY TABLE move_signed AS SELECT i.id FROM public.sign_ins AS i WHERE i.company_id = own;
    END IF;
    DELETE FROM public.sign_ins AS i USING pg_temp.move_signed AS s WHERE i.company_id = own AND i.id = s.id;
    TRUNCATE pg_temp.move_signed;
    INSERT INTO pg_temp.move_signed SELECT s.id FROM pg_temp.move_sign_ins AS s;
    SELECT string_agg(format('s.%I', a.attname), ', ' ORDER BY a.attnum) INTO columns FROM pg_attribute AS a
        WHERE a.attrelid = 'pg_temp.move_sign_ins'::regclass AND a.attnum > 0 AND a.attname <> 'member';
    EXECUTE format(
        'INSERT INTO public.sign_ins (company_id, user_id, %s) SELECT $1, u.account_id, %s FROM pg_temp.move_sign_ins AS s '
        'JOIN public.users AS u ON u.company_id = $1 AND u.id = s.member '
        'WHERE NOT EXISTS (SELECT FROM public.sign_ins AS i WHERE i.id = s.id)', replace(columns, 's.', ''), columns) USING own;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.move_persons(bigint), kernel.move_check_persons(bigint), kernel.move_accounts(bigint),
    kernel.move_secrets(bigint) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_persons.sql', 'f28cc49844af0300');
