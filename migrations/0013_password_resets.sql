-- Forgotten passwords, passwords changed at psql, and rows that came from Supabase.

-- The tokens that were mailed, known here by their hash alone. Good for half an hour and once; several of one account
-- may be good at the same time, so that nobody makes another's mail worthless by asking again.
CREATE TABLE public.password_resets (
    token_hash bytea CONSTRAINT password_resets_pkey PRIMARY KEY,
    user_id bigint NOT NULL CONSTRAINT password_resets_user_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    -- Where it was mailed: it is worth nothing once the account has another address.
    email text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX password_resets_user_id_idx ON public.password_resets (user_id);

GRANT SELECT, INSERT, DELETE ON public.password_resets TO learntrack_auth;
ALTER TABLE public.password_resets ENABLE ROW LEVEL SECURITY;
CREATE POLICY password_resets_auth ON public.password_resets TO learntrack_auth USING (true);

-- Whoever changes or removes a password at psql ends the account's sign-ins. The server, as learntrack_auth, does so by
-- itself, and knows when not to: a hash that is rewritten as another kind is the same password.
CREATE FUNCTION public.fin_des_connexions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ended record;
BEGIN
    DELETE FROM public.password_resets WHERE user_id = OLD.user_id;
    FOR ended IN
        UPDATE public.sign_ins SET ended_at = now() WHERE user_id = OLD.user_id AND ended_at IS NULL RETURNING id
    LOOP
        PERFORM pg_notify('auth_sign_in_ended', ended.id::text);
    END LOOP;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION public.fin_des_connexions() FROM PUBLIC;

CREATE TRIGGER credentials_change AFTER UPDATE ON public.credentials
    FOR EACH ROW WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash AND current_user <> 'learntrack_auth')
    EXECUTE FUNCTION public.fin_des_connexions();
CREATE TRIGGER credentials_removal AFTER DELETE ON public.credentials
    FOR EACH ROW WHEN (current_user <> 'learntrack_auth')
    EXECUTE FUNCTION public.fin_des_connexions();

-- Which rows `learntrack import supabase` brought here, so that the next run leaves them as they are by now.
CREATE TABLE public.supabase_imports (
    table_name text,
    row_id bigint,
    imported_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT supabase_imports_pkey PRIMARY KEY (table_name, row_id)
);

ALTER TABLE public.supabase_imports ENABLE ROW LEVEL SECURITY;

INSERT INTO public.learntrack_migrations (name) VALUES ('0013_password_resets.sql') ON CONFLICT DO NOTHING;
