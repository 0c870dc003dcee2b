-- Each message of the outbox belongs to a company: it is about a record of this one, and leaves in its name. Messages of before belong
-- to the company that the installation has.
--
-- Safe from: 1.0.0
-- Locks: kernel.outbox against everything, while its indexes are built: a second for 300,000 messages

-- As functions/company.sql has it, which is applied after this file.
CREATE OR REPLACE FUNCTION kernel.company() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN pg_catalog.current_setting('learntrack.company', true) <> ''
        THEN pg_catalog.current_setting('learntrack.company', true) ELSE '1' END::bigint
$$;

ALTER TABLE kernel.outbox ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company();

ALTER TABLE kernel.outbox DROP CONSTRAINT outbox_pkey, ADD CONSTRAINT outbox_pkey PRIMARY KEY (company_id, id);

-- functions/send.sql drops outbox_waiting_key, when it does not need it any more: calls go on between the two files.
CREATE UNIQUE INDEX outbox_waiting_company_key ON kernel.outbox (company_id, kind, record_id, key) WHERE attempts = 0;
DROP INDEX kernel.outbox_due_idx, kernel.outbox_order_idx, kernel.outbox_ended_idx, kernel.outbox_given_up_idx;
CREATE INDEX outbox_due_idx ON kernel.outbox (company_id, not_before, id) WHERE sent_at IS NULL AND gave_up_at IS NULL;
CREATE INDEX outbox_order_idx ON kernel.outbox (company_id, kind, record_id, key, id) WHERE sent_at IS NULL AND gave_up_at IS NULL;
CREATE INDEX outbox_ended_idx ON kernel.outbox (company_id, coalesce(sent_at, gave_up_at))
    WHERE sent_at IS NOT NULL OR gave_up_at IS NOT NULL;
CREATE INDEX outbox_given_up_idx ON kernel.outbox (company_id, id) WHERE gave_up_at IS NOT NULL;

COMMENT ON INDEX kernel.outbox_pkey IS 'primary key, default order';
COMMENT ON INDEX kernel.outbox_waiting_company_key IS 'unique; the row that a further send joins';
COMMENT ON INDEX kernel.outbox_due_idx IS 'what workers take next';
COMMENT ON INDEX kernel.outbox_order_idx IS 'earlier messages about the same record';
COMMENT ON INDEX kernel.outbox_ended_idx IS 'rows old enough to be removed';
COMMENT ON INDEX kernel.outbox_given_up_idx IS 'what can be sent again';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0211_outbox_company.sql') ON CONFLICT DO NOTHING;
