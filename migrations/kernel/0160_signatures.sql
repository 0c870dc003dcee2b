-- Signatures: documents that people without an account read and sign through a link that was mailed to them.
--
-- What is signed is the bytes of a document that were kept when the signatures were asked for. What was signed cannot be
-- changed any more: triggers refuse it, for the owner of the tables too.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

-- A document, with all that its signatories have in common.
CREATE TABLE kernel.signatures (
    id bigserial CONSTRAINT signatures_pkey PRIMARY KEY,
    -- The signatures of a domain that it belongs to, the method that made the document, and what the method was given.
    kind text NOT NULL,
    method text NOT NULL,
    params jsonb NOT NULL
        CONSTRAINT signatures_params_check CHECK (jsonb_typeof(params) = 'object' AND octet_length(params::text) <= 8192),
    -- Of the file.
    name text NOT NULL CONSTRAINT signatures_name_check CHECK (kernel.is_visible(name)),
    -- Of the bytes that the signatories are shown, in hexadecimal.
    sha256 text NOT NULL CONSTRAINT signatures_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    status text NOT NULL DEFAULT 'waiting'
        CONSTRAINT signatures_status_check CHECK (status IN ('waiting', 'signed', 'cancelled')),
    -- Who asked. No foreign key: what was signed outlives the account.
    account_id bigint NOT NULL,
    expires_at timestamptz NOT NULL DEFAULT now() + interval '14 days',
    completed_at timestamptz,
    cancelled_at timestamptz,
    -- Of the document with the page of evidence, once that is made.
    final_sha256 text CONSTRAINT signatures_final_sha256_check CHECK (final_sha256 ~ '^[0-9a-f]{64}$'),
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT signatures_ended CHECK (
        (status = 'signed') = (completed_at IS NOT NULL) AND (status = 'cancelled') = (cancelled_at IS NOT NULL))
);

CREATE TABLE kernel.signature_documents (
    signature_id bigint CONSTRAINT signature_documents_pkey PRIMARY KEY
        CONSTRAINT signature_documents_signature_id_fkey REFERENCES kernel.signatures (id) ON DELETE CASCADE,
    -- What the signatories are shown.
    shown bytea NOT NULL CONSTRAINT signature_documents_shown_check CHECK (octet_length(shown) BETWEEN 1 AND 8388608),
    -- The bytes that follow them in the signed document: an incremental update with the page of evidence.
    addition bytea CONSTRAINT signature_documents_addition_check CHECK (octet_length(addition) BETWEEN 1 AND 8388608)
);

-- PDF is compressed already.
ALTER TABLE kernel.signature_documents ALTER COLUMN shown SET STORAGE EXTERNAL;
ALTER TABLE kernel.signature_documents ALTER COLUMN addition SET STORAGE EXTERNAL;

-- One row for each person who is asked to sign.
CREATE TABLE kernel.signatories (
    id bigserial CONSTRAINT signatories_pkey PRIMARY KEY,
    signature_id bigint NOT NULL
        CONSTRAINT signatories_signature_id_fkey REFERENCES kernel.signatures (id) ON DELETE CASCADE,
    name varchar(150) NOT NULL CONSTRAINT signatories_name_check CHECK (kernel.is_visible(name)),
    email varchar(255) NOT NULL CONSTRAINT signatories_email_check CHECK (kernel.is_email(email)),
    -- When the mail with the link left, or why it did not.
    mailed_at timestamptz,
    mail_error text,
    -- When the link was mailed again for the last time, and how often it was.
    reminded_at timestamptz,
    reminders smallint NOT NULL DEFAULT 0
        CONSTRAINT signatories_reminders_check CHECK (reminders BETWEEN 0 AND 10),
    -- When a person first used the page of the link.
    opened_at timestamptz,
    signed_at timestamptz,
    -- What the signatory gave as name and agreed to, and from where; the address is null if a proxy does not say it.
    signed_name varchar(150),
    consent text,
    address text,
    device varchar(300),
    CONSTRAINT signatories_email_key UNIQUE (signature_id, email),
    CONSTRAINT signatories_signed CHECK (signed_at IS NULL OR signed_name IS NOT NULL AND consent IS NOT NULL)
);

-- The link of each signatory, and what was drawn. The secret in a link is an HMAC of the id with a key of the server: who has
-- the database alone cannot make the link.
CREATE TABLE kernel.signature_links (
    signatory_id bigint CONSTRAINT signature_links_pkey PRIMARY KEY
        CONSTRAINT signature_links_signatory_id_fkey REFERENCES kernel.signatories (id) ON DELETE CASCADE,
    link_id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT signature_links_link_id_key UNIQUE,
    -- PNG; null for a signature without a drawing.
    drawing bytea CONSTRAINT signature_links_drawing_check CHECK (octet_length(drawing) <= 65536)
);

CREATE INDEX signatures_account_id_idx ON kernel.signatures (account_id, created_at);

COMMENT ON INDEX kernel.signatures_pkey IS 'primary key, default order';
COMMENT ON INDEX kernel.signatures_account_id_idx IS 'what an account asked for of late';
COMMENT ON INDEX kernel.signature_documents_pkey IS 'primary key; foreign key';
COMMENT ON INDEX kernel.signatories_pkey IS 'primary key, default order';
COMMENT ON INDEX kernel.signatories_email_key IS 'unique: an address once for each document; foreign key';
COMMENT ON INDEX kernel.signature_links_pkey IS 'primary key; foreign key';
COMMENT ON INDEX kernel.signature_links_link_id_key IS 'unique; the signatory of a link';

-- Accounts read how far the signatures are, but not from which network address and with which browser a person signed: that
-- is for the page of evidence. Functions write; the role that keeps secrets reads documents and links.
GRANT SELECT ON kernel.signatures TO learntrack_user, learntrack_admin;
GRANT SELECT (
        id, signature_id, name, email, mailed_at, mail_error, reminded_at, reminders, opened_at, signed_at,
        signed_name, consent)
    ON kernel.signatories TO learntrack_user, learntrack_admin;
GRANT SELECT ON kernel.signatures, kernel.signatories, kernel.signature_documents, kernel.signature_links
    TO learntrack_auth;
ALTER TABLE kernel.signatures ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.signatories ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.signature_documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.signature_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY signatures_readers ON kernel.signatures FOR SELECT
    TO learntrack_user, learntrack_admin, learntrack_auth USING (true);
CREATE POLICY signatories_readers ON kernel.signatories FOR SELECT
    TO learntrack_user, learntrack_admin, learntrack_auth USING (true);
CREATE POLICY signature_documents_auth ON kernel.signature_documents FOR SELECT TO learntrack_auth USING (true);
CREATE POLICY signature_links_auth ON kernel.signature_links FOR SELECT TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0160_signatures.sql') ON CONFLICT DO NOTHING;
