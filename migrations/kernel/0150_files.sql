-- Files that clients give: pictures and documents that records name. Each belongs to an account.
--
-- The bytes are in a table of their own, so that a backup can leave them out:
--     pg_dump --exclude-table-data=kernel.file_bytes
-- A file without its bytes is answered as one that is gone, until its account gives the same bytes again.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

CREATE TABLE kernel.files (
    id bigserial CONSTRAINT files_pkey PRIMARY KEY,
    account_id bigint NOT NULL CONSTRAINT files_account_id_fkey REFERENCES public.users (id),
    sha256 bytea NOT NULL CONSTRAINT files_sha256_check CHECK (octet_length(sha256) = 32),
    media_type text NOT NULL,
    size integer NOT NULL CONSTRAINT files_size_check CHECK (size BETWEEN 1 AND 2097152),
    -- When the account last gave these bytes. A file that nothing names goes a day later.
    given_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT files_account_id_key UNIQUE (account_id, sha256)
);

CREATE INDEX files_given_at_idx ON kernel.files (given_at);

CREATE TABLE kernel.file_bytes (
    file_id bigint CONSTRAINT file_bytes_pkey PRIMARY KEY
        CONSTRAINT file_bytes_file_id_fkey REFERENCES kernel.files (id) ON DELETE CASCADE,
    bytes bytea NOT NULL
);

-- Pictures and PDF are compressed already.
ALTER TABLE kernel.file_bytes ALTER COLUMN bytes SET STORAGE EXTERNAL;

COMMENT ON INDEX kernel.files_pkey IS 'primary key';
COMMENT ON INDEX kernel.files_account_id_key IS 'the same bytes of one account are one file; what an account gave';
COMMENT ON INDEX kernel.files_given_at_idx IS 'files that are old enough to go';
COMMENT ON INDEX kernel.file_bytes_pkey IS 'primary key; foreign key';

-- The server reads files and decides who may. It writes them by functions.
GRANT SELECT ON kernel.files, kernel.file_bytes TO learntrack_auth;
ALTER TABLE kernel.files ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.file_bytes ENABLE ROW LEVEL SECURITY;
CREATE POLICY files_auth ON kernel.files FOR SELECT TO learntrack_auth USING (true);
CREATE POLICY file_bytes_auth ON kernel.file_bytes FOR SELECT TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0150_files.sql') ON CONFLICT DO NOTHING;
