-- Creates an access key in a role that the account holds at this moment. `outcome` is `created`, or what is wrong:
-- `account` (there is none), `inactive`, `role` (not held), `subject` (held for several, and none was named),
-- `no_subject` (not held for this one), `expired`.
--
-- The base role admin includes what user may: an administrator may have a key that acts as user only.
--
-- The account's row is locked, so that a change of its roles or its deactivation waits, and then revokes the key. SECURITY
-- DEFINER, since the role that keeps secrets may not lock accounts.
CREATE OR REPLACE FUNCTION kernel.create_access_key(
    account bigint, acting text, held_for bigint, label text, expiry timestamptz, hash bytea,
    OUT outcome text, OUT created public.access_keys
)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    owner public.users;
    subjects bigint[];
BEGIN
    SELECT * INTO owner FROM public.users AS u
    WHERE u.company_id = kernel.company() AND u.id = account FOR SHARE;
    IF NOT FOUND THEN
        outcome := 'account';
    ELSIF NOT owner.is_active THEN
        outcome := 'inactive';
    ELSIF owner.role = acting OR owner.role = 'admin' AND acting = 'user' THEN
        subjects := ARRAY[NULL::bigint];
    ELSE
        SELECT array_agg(a.subject) INTO subjects
        FROM public.account_roles AS a
        WHERE a.company_id = owner.company_id AND a.account_id = account AND a.role = acting;
    END IF;
    IF outcome IS NULL THEN
        IF subjects IS NULL THEN
            outcome := 'role';
        ELSIF held_for IS NOT NULL AND array_position(subjects, held_for) IS NULL THEN
            outcome := 'no_subject';
        ELSIF held_for IS NULL AND cardinality(subjects) > 1 THEN
            outcome := 'subject';
        ELSIF expiry <= now() THEN
            outcome := 'expired';
        ELSE
            outcome := 'created';
        END IF;
    END IF;
    IF outcome = 'created' THEN
        DELETE FROM public.access_keys AS k
        WHERE k.company_id = owner.company_id AND least(k.revoked_at, k.expires_at) < now() - interval '90 days';
        INSERT INTO public.access_keys (company_id, account_id, role, subject, name, expires_at, key_hash)
        VALUES (owner.company_id, account, acting, coalesce(held_for, subjects[1]), label, expiry, hash)
        RETURNING * INTO created;
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.create_access_key(bigint, text, bigint, text, timestamptz, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.create_access_key(bigint, text, bigint, text, timestamptz, bytea) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/create_access_key.sql', 'aa168375d867bfa1');
