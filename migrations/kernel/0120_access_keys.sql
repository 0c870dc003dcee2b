-- Access keys: what devices, calendars and scripts present in the place of an access token. Each belongs to an account
-- and acts in one of its roles.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

CREATE TABLE public.access_keys (
    id bigserial CONSTRAINT access_keys_pkey PRIMARY KEY,
    account_id bigint NOT NULL CONSTRAINT access_keys_account_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    role text NOT NULL,
    subject bigint,
    name varchar(100) NOT NULL CONSTRAINT access_keys_name_check CHECK (kernel.is_visible(name)),
    -- SHA-256 of the key. A slow hash with a salt protects passwords because people choose them from few. A key is 256
    -- random bits: no list of candidates contains it, however fast each of them is tried.
    key_hash bytea NOT NULL CONSTRAINT access_keys_key_hash_check CHECK (octet_length(key_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    -- To the minute: servers write it later than the calls.
    last_used_at timestamptz,
    -- A revoked key stays for a while, so that its holder learns that it was revoked.
    revoked_at timestamptz,
    -- Of everything but last_used_at: servers keep all keys in memory and read what has changed.
    changed_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1,
    CONSTRAINT access_keys_key_hash_key UNIQUE (key_hash)
);

CREATE INDEX access_keys_account_id_idx ON public.access_keys (account_id);
CREATE INDEX access_keys_changed_at_idx ON public.access_keys (changed_at);

COMMENT ON INDEX public.access_keys_pkey IS 'primary key';
COMMENT ON INDEX public.access_keys_key_hash_key IS 'unique; keys that a server does not have in memory';
COMMENT ON INDEX public.access_keys_account_id_idx IS 'foreign key';
COMMENT ON INDEX public.access_keys_changed_at_idx IS 'servers read what has changed several times a second';

-- No journal: its entries would contain the hashes.
GRANT SELECT, INSERT, UPDATE, DELETE ON public.access_keys TO learntrack_auth;
ALTER TABLE public.access_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY access_keys_auth ON public.access_keys TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0120_access_keys.sql') ON CONFLICT DO NOTHING;
