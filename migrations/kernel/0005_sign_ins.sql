-- One row for each sign-in, from login to logout. Its refresh token changes at each use and is stored as a hash. Tokens
-- carry the id of the row, so the hash needs no index.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new
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

COMMENT ON INDEX public.sign_ins_pkey IS 'primary key';
COMMENT ON INDEX public.sign_ins_user_id_idx IS 'foreign key, of the sign-ins that have not ended';
COMMENT ON INDEX public.sign_ins_ended_at_idx IS 'servers read what has ended several times a second';

GRANT SELECT, INSERT, UPDATE, DELETE ON public.sign_ins TO learntrack_auth;
ALTER TABLE public.sign_ins ENABLE ROW LEVEL SECURITY;
CREATE POLICY sign_ins_auth ON public.sign_ins TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0005_sign_ins.sql') ON CONFLICT DO NOTHING;
