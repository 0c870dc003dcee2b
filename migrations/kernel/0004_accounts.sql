-- The accounts, and how each proves who it is. Secrets are in tables of their own that only the role learntrack_auth may
-- touch.
--
-- Rights: operations are grants; columns that the database writes (id, created_at, updated_at, version) are in none.
-- Row-level security is on with policies that let every row pass: a condition there would keep searches from their
-- indexes, since LIKE is not leakproof.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE public.users (
    id bigserial CONSTRAINT users_pkey PRIMARY KEY,
    username varchar(100),
    email varchar(255) NOT NULL CONSTRAINT users_email_check CHECK (kernel.is_email(email)),
    role varchar(20) NOT NULL DEFAULT 'user' CONSTRAINT users_role_check CHECK (role IN ('admin', 'user')),
    supabase_user_id uuid CONSTRAINT users_supabase_user_id_key UNIQUE,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT users_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT users_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT users_version_check CHECK (version >= 1)
);

-- An address has one account; upper and lower case count as equal.
CREATE UNIQUE INDEX users_email_key ON public.users (lower(email));

CREATE INDEX users_email_idx ON public.users (email COLLATE public.francais, id);

SELECT kernel.search_keep('public.users', $$kernel.without_accents(coalesce(username, '') || ' ' || email)$$);

COMMENT ON INDEX public.users_pkey IS 'primary key';
COMMENT ON INDEX public.users_email_key IS 'unique: an address has one account, in upper or lower case';
COMMENT ON INDEX public.users_supabase_user_id_key IS 'unique';
COMMENT ON INDEX public.users_email_idx IS 'default order';

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

COMMENT ON INDEX public.credentials_pkey IS 'primary key';

-- users: administrators read and write. Accounts are deactivated, not deleted. Signing in reads them too.
GRANT SELECT ON public.users TO learntrack_admin, learntrack_auth;
GRANT
    INSERT (username, email, role, supabase_user_id, is_active),
    UPDATE (username, email, role, supabase_user_id, is_active)
    ON public.users TO learntrack_admin;
GRANT USAGE ON SEQUENCE public.users_id_seq TO learntrack_admin;

-- Secrets: the role that signs people in, and no other.
GRANT SELECT, INSERT, UPDATE, DELETE ON public.credentials TO learntrack_auth;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.credentials ENABLE ROW LEVEL SECURITY;
CREATE POLICY users_admin ON public.users TO learntrack_admin USING (true);
CREATE POLICY users_auth ON public.users FOR SELECT TO learntrack_auth USING (true);
CREATE POLICY credentials_auth ON public.credentials TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0004_accounts.sql') ON CONFLICT DO NOTHING;
