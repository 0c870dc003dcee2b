-- Passkeys: keys that the authenticators of people keep, and sign with in the place of a password (WebAuthn).
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

CREATE TABLE kernel.passkeys (
    id bigserial CONSTRAINT passkeys_pkey PRIMARY KEY,
    account_id bigint NOT NULL CONSTRAINT passkeys_account_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    name varchar(100) NOT NULL CONSTRAINT passkeys_name_check CHECK (kernel.is_visible(name)),
    -- The name that the authenticator has given the key.
    credential_id bytea NOT NULL CONSTRAINT passkeys_credential_id_check CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    -- The two coordinates of a point on P-256.
    public_key bytea NOT NULL CONSTRAINT passkeys_public_key_check CHECK (octet_length(public_key) = 64),
    -- How often the key has signed, as far as the authenticator counts; 0 if it does not. One that counts backwards is a copy.
    sign_count bigint NOT NULL CONSTRAINT passkeys_sign_count_check CHECK (sign_count BETWEEN 0 AND 4294967295),
    -- How browsers reach the authenticator, separated by spaces.
    transports text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id)
);

CREATE INDEX passkeys_account_id_idx ON kernel.passkeys (account_id);

COMMENT ON INDEX kernel.passkeys_pkey IS 'primary key';
COMMENT ON INDEX kernel.passkeys_credential_id_key IS 'unique; the passkey of a sign-in';
COMMENT ON INDEX kernel.passkeys_account_id_idx IS 'foreign key; the passkeys of an account';

-- The challenges that have served, so that a signature is valid once on all servers together.
CREATE TABLE kernel.passkey_challenges (
    nonce bytea CONSTRAINT passkey_challenges_pkey PRIMARY KEY
        CONSTRAINT passkey_challenges_nonce_check CHECK (octet_length(nonce) = 16),
    expires_at timestamptz NOT NULL
);

COMMENT ON INDEX kernel.passkey_challenges_pkey IS 'primary key';

-- No journal, as for passwords. Passkeys are added by a function.
GRANT SELECT, UPDATE (sign_count, last_used_at), DELETE ON kernel.passkeys TO learntrack_auth;
GRANT SELECT, INSERT, DELETE ON kernel.passkey_challenges TO learntrack_auth;
ALTER TABLE kernel.passkeys ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.passkey_challenges ENABLE ROW LEVEL SECURITY;
CREATE POLICY passkeys_auth ON kernel.passkeys TO learntrack_auth USING (true);
CREATE POLICY passkey_challenges_auth ON kernel.passkey_challenges TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0172_passkeys.sql') ON CONFLICT DO NOTHING;
