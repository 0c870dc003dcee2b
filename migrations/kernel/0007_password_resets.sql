-- Forgotten passwords.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

-- The tokens that were mailed, stored as hashes. A token is valid once, for half an hour. Several tokens of an
-- account may be valid at the same time, so that a further request does not invalidate the first mail.
CREATE TABLE public.password_resets (
    token_hash bytea CONSTRAINT password_resets_pkey PRIMARY KEY,
    user_id bigint NOT NULL CONSTRAINT password_resets_user_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    -- The address that it was mailed to. The token is invalid when the account has another address.
    email text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX password_resets_user_id_idx ON public.password_resets (user_id);

GRANT SELECT, INSERT, DELETE ON public.password_resets TO learntrack_auth;
ALTER TABLE public.password_resets ENABLE ROW LEVEL SECURITY;
CREATE POLICY password_resets_auth ON public.password_resets TO learntrack_auth USING (true);

COMMENT ON INDEX public.password_resets_pkey IS 'primary key';
COMMENT ON INDEX public.password_resets_user_id_idx IS 'foreign key';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0007_password_resets.sql') ON CONFLICT DO NOTHING;
