-- The roles that an account has beside `users.role`: roles of domains, some of them held for one record, the subject.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

-- The roles that domains have declared. A server enters those of its domains when it starts (kernel.role_serve), and takes
-- none out: another server of this database may serve more domains.
CREATE TABLE kernel.roles (
    name text CONSTRAINT roles_pkey PRIMARY KEY
        -- With its prefix it is the name of a database role, of 63 bytes at most. The base roles are in users.role, and
        -- learntrack_auth is the role that reads secrets.
        CONSTRAINT roles_name_check CHECK (name ~ '^[a-z][a-z0-9_]{0,51}$' AND name NOT IN ('user', 'admin', 'auth')),
    -- The qualified name of the table of the subjects; null for a role without a subject.
    subject_table text
);

COMMENT ON INDEX kernel.roles_pkey IS 'primary key';

CREATE TABLE public.account_roles (
    id bigserial CONSTRAINT account_roles_pkey PRIMARY KEY,
    account_id bigint NOT NULL
        CONSTRAINT account_roles_account_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    -- A role of kernel.roles, and a row of its table: kernel.check_account_role.
    role text NOT NULL,
    subject bigint,
    created_at timestamptz NOT NULL DEFAULT now()
        CONSTRAINT account_roles_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now()
        CONSTRAINT account_roles_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT account_roles_version_check CHECK (version >= 1)
);

-- NULLS NOT DISTINCT needs Postgres 15; no row has the id 0.
CREATE UNIQUE INDEX account_roles_role_key ON public.account_roles (account_id, role, coalesce(subject, 0));
CREATE INDEX account_roles_subject_idx ON public.account_roles (subject) WHERE subject IS NOT NULL;

COMMENT ON INDEX public.account_roles_pkey IS 'primary key, default order';
COMMENT ON INDEX public.account_roles_role_key IS 'unique: a role once for each subject; foreign key; roles at sign-in';
COMMENT ON INDEX public.account_roles_subject_idx IS 'roles that end with a deleted subject';

-- Administrators give and take roles. A role is taken and given again instead of changed. Signing in reads them.
GRANT SELECT ON public.account_roles TO learntrack_admin, learntrack_auth;
GRANT INSERT (account_id, role, subject) ON public.account_roles TO learntrack_admin;
GRANT DELETE ON public.account_roles TO learntrack_admin;
GRANT USAGE ON SEQUENCE public.account_roles_id_seq TO learntrack_admin;

ALTER TABLE kernel.roles ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.account_roles ENABLE ROW LEVEL SECURITY;
CREATE POLICY account_roles_admin ON public.account_roles TO learntrack_admin USING (true);
CREATE POLICY account_roles_auth ON public.account_roles FOR SELECT TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0110_account_roles.sql') ON CONFLICT DO NOTHING;
