-- What writing accounts asks for beyond the rights on their rows.

-- An administrator may take the role or the activity from anyone but the last active administrator. Two who do it to
-- each other at the same time come one after the other, before either has touched a row: the second sees what the first
-- has done, and a transaction whose snapshot is older fails to lock the row it relies on, and is run again.
--
-- What the owner does at psql or from the command line is theirs to answer for: they can let somebody in again.
CREATE FUNCTION public.tour_des_admins() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.admins', 0));
    RETURN NULL;
END
$$;

CREATE FUNCTION public.garde_dernier_admin() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM public.users WHERE role = 'admin' AND is_active ORDER BY id LIMIT 1 FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the last active administrator' USING
            ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'users', CONSTRAINT = 'users_dernier_admin';
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION public.tour_des_admins(), public.garde_dernier_admin() FROM PUBLIC;

CREATE TRIGGER users_tour_des_admins BEFORE UPDATE OF role, is_active ON public.users
    FOR EACH STATEMENT
    WHEN (current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION public.tour_des_admins();

CREATE TRIGGER users_dernier_admin AFTER UPDATE ON public.users
    FOR EACH ROW
    WHEN (
        OLD.role = 'admin' AND OLD.is_active AND NOT (NEW.role = 'admin' AND NEW.is_active)
        AND current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
    )
    EXECUTE FUNCTION public.garde_dernier_admin();

-- The first secret of an account, in the transaction that makes the account: so a new account and its password are
-- there together or not at all, though the role that makes accounts may neither read nor write secrets. It opens
-- nothing else: of any other account, and of one that has a secret, it is refused.
CREATE FUNCTION public.premier_secret(compte bigint, empreinte text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO public.credentials (user_id, password_hash)
    SELECT u.id, empreinte FROM public.users AS u WHERE u.id = compte AND u.xmin = pg_current_xact_id()::xid;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'not an account of this transaction' USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION public.premier_secret(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.premier_secret(bigint, text) TO learntrack_admin;

-- The first administrator of a database that has no active one; null where there is one, however many ask at once.
CREATE FUNCTION public.premier_admin(courriel text, nom text, empreinte text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    compte bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.admins', 0));
    IF EXISTS (SELECT FROM public.users WHERE role = 'admin' AND is_active) THEN
        RETURN NULL;
    END IF;
    INSERT INTO public.users (email, username, role) VALUES (courriel, nom, 'admin') RETURNING id INTO compte;
    INSERT INTO public.credentials (user_id, password_hash) VALUES (compte, empreinte);
    RETURN compte;
END
$$;

REVOKE EXECUTE ON FUNCTION public.premier_admin(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.premier_admin(text, text, text) TO learntrack_auth;

INSERT INTO public.learntrack_migrations (name) VALUES ('0015_accounts.sql') ON CONFLICT DO NOTHING;
