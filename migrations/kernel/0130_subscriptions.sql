-- Subscriptions: links to a document that have no end, which calendar programs and scripts fetch at intervals. Each belongs
-- to an account and opens its document in one of the account's roles.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

CREATE TABLE kernel.subscriptions (
    id bigserial CONSTRAINT subscriptions_pkey PRIMARY KEY,
    account_id bigint NOT NULL CONSTRAINT subscriptions_account_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    role text NOT NULL,
    subject bigint,
    -- The subscriptions of a domain that it belongs to, the method that makes the document, and what the method is given.
    kind text NOT NULL,
    method text NOT NULL,
    params jsonb NOT NULL
        CONSTRAINT subscriptions_params_check CHECK (jsonb_typeof(params) = 'object' AND octet_length(params::text) <= 8192),
    name varchar(100) CONSTRAINT subscriptions_name_check CHECK (kernel.is_visible(name)),
    -- SHA-256 of the secret in the link, which is 256 random bits.
    secret_hash bytea NOT NULL CONSTRAINT subscriptions_secret_hash_check CHECK (octet_length(secret_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- To the minute.
    last_used_at timestamptz
);

CREATE INDEX subscriptions_account_id_idx ON kernel.subscriptions (account_id);

COMMENT ON INDEX kernel.subscriptions_pkey IS 'primary key; the subscription of a link';
COMMENT ON INDEX kernel.subscriptions_account_id_idx IS 'foreign key; the subscriptions of an account';

-- No journal: its entries would contain the hashes.
GRANT SELECT, UPDATE, DELETE ON kernel.subscriptions TO learntrack_auth;
ALTER TABLE kernel.subscriptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY subscriptions_auth ON kernel.subscriptions TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0130_subscriptions.sql') ON CONFLICT DO NOTHING;
