-- Documents to sign, their signatories and links belong to the company of the account that has asked, in their keys and in what
-- they refer to. The id in a link stays unique over all companies: who follows a link names no company.
--
-- Safe from: 1.0.0
-- Locks: the tables of signatures against everything, while their keys are checked: a second for 100,000 documents

-- Calls hold locks of several of these tables in orders of their own: as kernel.company_lock, which a database of before may lack.
DO $$
DECLARE
    waited text := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', '200ms', true);
    FOR attempt IN 1..600 LOOP
        BEGIN
            LOCK TABLE kernel.signatures, kernel.signature_documents, kernel.signatories, kernel.signature_links
                IN ACCESS EXCLUSIVE MODE;
            PERFORM set_config('lock_timeout', waited, true);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            PERFORM pg_sleep(random() * 0.2);
        END;
    END LOOP;
    RAISE EXCEPTION 'other transactions keep the tables of signatures locked'
        USING ERRCODE = 'lock_not_available', HINT = 'Apply the migration again when they have ended.';
END
$$;

ALTER TABLE kernel.signature_documents DROP CONSTRAINT signature_documents_signature_id_fkey;
ALTER TABLE kernel.signatories DROP CONSTRAINT signatories_signature_id_fkey;
ALTER TABLE kernel.signature_links DROP CONSTRAINT signature_links_signatory_id_fkey;

ALTER TABLE kernel.signatures
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT signatures_pkey, ADD CONSTRAINT signatures_pkey PRIMARY KEY (company_id, id);
ALTER TABLE kernel.signature_documents
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT signature_documents_pkey, ADD CONSTRAINT signature_documents_pkey PRIMARY KEY (company_id, signature_id),
    ADD CONSTRAINT signature_documents_signature_id_fkey FOREIGN KEY (company_id, signature_id)
        REFERENCES kernel.signatures (company_id, id) ON DELETE CASCADE;
ALTER TABLE kernel.signatories
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT signatories_pkey, ADD CONSTRAINT signatories_pkey PRIMARY KEY (company_id, id),
    DROP CONSTRAINT signatories_email_key, ADD CONSTRAINT signatories_email_key UNIQUE (company_id, signature_id, email),
    ADD CONSTRAINT signatories_signature_id_fkey FOREIGN KEY (company_id, signature_id)
        REFERENCES kernel.signatures (company_id, id) ON DELETE CASCADE;
ALTER TABLE kernel.signature_links
    ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company(),
    DROP CONSTRAINT signature_links_pkey, ADD CONSTRAINT signature_links_pkey PRIMARY KEY (company_id, signatory_id),
    ADD CONSTRAINT signature_links_signatory_id_fkey FOREIGN KEY (company_id, signatory_id)
        REFERENCES kernel.signatories (company_id, id) ON DELETE CASCADE;
GRANT SELECT (company_id) ON kernel.signatories TO learntrack_user, learntrack_admin;

DROP INDEX kernel.signatures_account_id_idx, kernel.signatures_record_id_idx;
CREATE INDEX signatures_account_id_idx ON kernel.signatures (company_id, account_id, created_at);
CREATE INDEX signatures_record_id_idx ON kernel.signatures
    (company_id, (CASE WHEN params ->> 'id' ~ '^[0-9]{1,18}$' THEN (params ->> 'id')::bigint END));

COMMENT ON INDEX kernel.signatures_pkey IS 'primary key, default order';
COMMENT ON INDEX kernel.signatures_account_id_idx IS 'what an account asked for of late';
COMMENT ON INDEX kernel.signatures_record_id_idx IS 'the signatures of the documents of a record';
COMMENT ON INDEX kernel.signature_documents_pkey IS 'primary key; foreign key';
COMMENT ON INDEX kernel.signatories_pkey IS 'primary key, default order';
COMMENT ON INDEX kernel.signatories_email_key IS 'unique: an address once for each document; foreign key';
COMMENT ON INDEX kernel.signature_links_pkey IS 'primary key; foreign key';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0216_signature_company.sql') ON CONFLICT DO NOTHING;
