-- Each message of the outbox says which member's call has entered it, so that the members of a company take turns.
--
-- Safe from: 1.0.0
-- Locks: kernel.outbox against everything, while an index is built: a second for 300,000 messages

SELECT kernel.company_lock('ACCESS EXCLUSIVE', 'kernel.outbox');

-- The id of the member; 0: the server itself. Messages of before count as one sender.
ALTER TABLE kernel.outbox ADD COLUMN sender_id bigint NOT NULL
    DEFAULT coalesce(nullif(current_setting('learntrack.account', true), ''), '0')::bigint;

CREATE INDEX outbox_turn_idx ON kernel.outbox (company_id, sender_id, not_before, id)
    WHERE sent_at IS NULL AND gave_up_at IS NULL;
COMMENT ON INDEX kernel.outbox_turn_idx IS 'what workers take next, of each member of a company';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0245_outbox_senders.sql') ON CONFLICT DO NOTHING;
