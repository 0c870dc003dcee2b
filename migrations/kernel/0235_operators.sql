-- Operators of the installation, suspended companies, and members who are removed.
--
-- An operator is an account that makes, suspends and counts companies, and reads no record of them. What a company has used is kept
-- by the day, where the rows that tell it do not stay: documents are made and not kept, messages go a month after they have left.
--
-- Safe from: 1.0.0
-- Locks: users and kernel.files against writes, for a moment

SELECT kernel.company_lock('ACCESS EXCLUSIVE', 'public.users', 'kernel.accounts', 'kernel.companies', 'kernel.files');

ALTER TABLE kernel.accounts ADD COLUMN is_operator boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN kernel.accounts.is_operator IS 'whether the person makes, suspends and counts companies';

ALTER TABLE kernel.companies ADD COLUMN suspended_at timestamptz;
COMMENT ON COLUMN kernel.companies.suspended_at IS 'since when no call is answered in the company; null: it is served';

CREATE TABLE kernel.usage (
    company_id bigint NOT NULL DEFAULT kernel.company(),
    -- In the time zone of the service.
    day date NOT NULL,
    documents integer NOT NULL DEFAULT 0 CONSTRAINT usage_documents_check CHECK (documents >= 0),
    -- Those that are in the outbox no more.
    messages integer NOT NULL DEFAULT 0 CONSTRAINT usage_messages_check CHECK (messages >= 0),
    CONSTRAINT usage_pkey PRIMARY KEY (company_id, day)
);
COMMENT ON INDEX kernel.usage_pkey IS 'primary key; the days of a period';
-- Functions write it, and read it for operators.
ALTER TABLE kernel.usage ENABLE ROW LEVEL SECURITY;

-- Administrators remove members. Files of one who is gone stay for the records that name them, and belong to nobody.
GRANT DELETE ON public.users TO learntrack_admin;
ALTER TABLE kernel.files
    ALTER COLUMN account_id DROP NOT NULL,
    DROP CONSTRAINT files_account_id_fkey,
    ADD CONSTRAINT files_account_id_fkey FOREIGN KEY (company_id, account_id)
        REFERENCES public.users (company_id, id) ON DELETE SET NULL (account_id);
COMMENT ON COLUMN kernel.files.account_id IS 'the member; null when it was removed';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0235_operators.sql') ON CONFLICT DO NOTHING;
