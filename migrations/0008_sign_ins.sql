-- Secrets and sign-ins, in tables of their own that only the role learntrack_auth may touch.

-- crypt() and gen_salt(), for people who make accounts at psql. The server needs none of it, so its absence is no
-- error.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pgcrypto;
EXCEPTION
    WHEN undefined_file OR feature_not_supported OR insufficient_privilege THEN
        RAISE NOTICE 'pgcrypto is not available here: passwords cannot be hashed at psql';
END
$$;

-- How an account proves who it is: a hash that crypt(3) understands ($y$, $2b$, $2a$, $2y$).
CREATE TABLE public.credentials (
    user_id bigint CONSTRAINT credentials_pkey PRIMARY KEY
        CONSTRAINT credentials_user_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    password_hash text NOT NULL
);

-- One row for each time someone signed in, from login to logout. Its refresh token changes at each use and is known
-- here by its hash alone; tokens carry the id, so that nothing looks a hash up and no index needs one.
CREATE TABLE public.sign_ins (
    id uuid CONSTRAINT sign_ins_pkey PRIMARY KEY DEFAULT gen_random_uuid(),
    -- Null once the account is deleted: the row stays, ended, until every instance has heard of it.
    user_id bigint CONSTRAINT sign_ins_user_id_fkey REFERENCES public.users (id) ON DELETE SET NULL,
    refresh_hash bytea NOT NULL,
    -- When the token was changed, of the last seconds only: a client's retry may still present the one before.
    rotated_at timestamptz[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    user_agent text,
    ended_at timestamptz
);

CREATE INDEX sign_ins_user_id_idx ON public.sign_ins (user_id) WHERE ended_at IS NULL;
CREATE INDEX sign_ins_ended_at_idx ON public.sign_ins (ended_at) WHERE ended_at IS NOT NULL;

-- Whoever changes an account's role or activity, psql included: it is announced to whoever listens, and the sign-ins of
-- a deactivated account end. Servers need not listen: they look at what has changed several times a second. SECURITY DEFINER, since whoever administers accounts may not touch sign-ins.
CREATE FUNCTION public.annonce_compte() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT NEW.is_active THEN
        UPDATE public.sign_ins SET ended_at = now() WHERE user_id = NEW.id AND ended_at IS NULL;
    END IF;
    PERFORM pg_notify('auth_account_changed', NEW.id::text);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION public.annonce_compte() FROM PUBLIC;

CREATE TRIGGER users_annonce AFTER UPDATE ON public.users
    FOR EACH ROW WHEN (OLD.role IS DISTINCT FROM NEW.role OR OLD.is_active IS DISTINCT FROM NEW.is_active)
    EXECUTE FUNCTION public.annonce_compte();

-- Accounts are deactivated, not deleted; whoever deletes one at psql all the same ends its sign-ins.
CREATE FUNCTION public.fin_du_compte() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE public.sign_ins SET ended_at = now() WHERE user_id = OLD.id AND ended_at IS NULL;
    RETURN OLD;
END
$$;

REVOKE EXECUTE ON FUNCTION public.fin_du_compte() FROM PUBLIC;

CREATE TRIGGER users_fin BEFORE DELETE ON public.users
    FOR EACH ROW EXECUTE FUNCTION public.fin_du_compte();

INSERT INTO public.learntrack_migrations (name) VALUES ('0008_sign_ins.sql') ON CONFLICT DO NOTHING;
