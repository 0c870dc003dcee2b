-- Invitations: a new account gets a mail with a link by which its owner chooses a password.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

-- The last invitation of each account that has had one.
CREATE TABLE kernel.invitations (
    user_id bigint CONSTRAINT invitations_pkey PRIMARY KEY
        CONSTRAINT invitations_user_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    -- When it was asked for, and when the mail left.
    asked_at timestamptz NOT NULL DEFAULT now(),
    sent_at timestamptz,
    -- Why the mail has not left within a day.
    error text
);

-- The tokens in the links, stored as hashes. Each attempt to send a mail makes one, because an attempt without an answer may
-- have sent its own. The first that is used ends the others.
CREATE TABLE kernel.invitation_tokens (
    token_hash bytea CONSTRAINT invitation_tokens_pkey PRIMARY KEY,
    user_id bigint NOT NULL CONSTRAINT invitation_tokens_user_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    -- The address that it is mailed to. The token is invalid when the account has another address.
    email text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX invitation_tokens_user_id_idx ON kernel.invitation_tokens (user_id);

COMMENT ON INDEX kernel.invitations_pkey IS 'primary key; foreign key';
COMMENT ON INDEX kernel.invitation_tokens_pkey IS 'primary key';
COMMENT ON INDEX kernel.invitation_tokens_user_id_idx IS 'foreign key';

GRANT SELECT, INSERT, DELETE ON kernel.invitation_tokens TO learntrack_auth;
ALTER TABLE kernel.invitations ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.invitation_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY invitation_tokens_auth ON kernel.invitation_tokens TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0186_invitations.sql') ON CONFLICT DO NOTHING;
