-- The outbox says what a failure concerns, and whether a message may be on its way. Administrators and operators learn what does
-- not leave, and can send it again.
--
-- Safe from: 1.0.0
-- Locks: kernel.outbox against everything, for a moment

ALTER TABLE kernel.outbox
    -- Whether an attempt without an end may have sent the message: its receiver was ready for it.
    ADD COLUMN departing boolean NOT NULL DEFAULT false,
    -- What the last failure concerns; null without one.
    ADD COLUMN cause text CONSTRAINT outbox_cause_check CHECK (
        cause IN (
            'connection', 'encryption', 'server', 'login', 'sender', 'settings', 'message', 'record', 'interruption'));

-- Servers of versions before note that they send before they connect.
UPDATE kernel.outbox SET departing = true WHERE claimed_until IS NOT NULL;

CREATE INDEX outbox_given_up_idx ON kernel.outbox (id) WHERE gave_up_at IS NOT NULL;

COMMENT ON INDEX kernel.outbox_given_up_idx IS 'what can be sent again';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0185_outbox_failures.sql') ON CONFLICT DO NOTHING;
