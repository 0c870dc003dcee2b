-- A key of a call belongs to a company: one key in two companies is two.
--
-- Safe from: 1.0.0
-- Locks: kernel.idempotency against everything, while the keys of a day are indexed: less than a second
ALTER TABLE kernel.idempotency ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company();

-- functions/keep_answers.sql drops idempotency_pkey, when it does not need it any more: calls go on between the two files.
CREATE UNIQUE INDEX idempotency_company_key ON kernel.idempotency (company_id, account_id, key);
DROP INDEX kernel.idempotency_age_idx;
CREATE INDEX idempotency_age_idx ON kernel.idempotency (company_id, account_id, created_at);

COMMENT ON INDEX kernel.idempotency_company_key IS 'unique; the call of a key';
COMMENT ON INDEX kernel.idempotency_age_idx IS 'the expired keys of an account';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0215_idempotency_company.sql') ON CONFLICT DO NOTHING;
