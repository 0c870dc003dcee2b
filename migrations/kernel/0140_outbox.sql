-- The outbox: messages that leave the service because of a write. A command enters one in its own transaction, with
-- kernel.send: it is then sent if and only if the transaction is committed. Workers of the server take the rows.
--
-- A row has no content. It names a record, which is read when the message is phrased, at each attempt anew.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

-- The role of the workers. It may execute the functions of the outbox, those that kernel.worker_keep names, and nothing else.
SELECT kernel.role_keep('learntrack_worker');
REVOKE SELECT ON public.journal FROM learntrack_worker;

CREATE TABLE kernel.outbox (
    id bigserial CONSTRAINT outbox_pkey PRIMARY KEY,
    -- The name of a notice of a domain.
    kind text NOT NULL,
    record_id bigint NOT NULL,
    -- Tells apart messages of one kind about one record that do not replace each other.
    key text NOT NULL DEFAULT '',
    -- The same at each attempt: it becomes the Message-ID of a mail and the Idempotency-Key of a request.
    message_id uuid NOT NULL DEFAULT gen_random_uuid(),
    -- When a worker may take the row. A claim moves it behind the lease, a failure behind the pause.
    not_before timestamptz NOT NULL DEFAULT now(),
    -- How often the row was claimed. The holder of a claim names this number, so that it cannot end the claim of another.
    attempts integer NOT NULL DEFAULT 0,
    -- How many of the attempts have failed. Not counted: those that were put off before anything was sent.
    failures integer NOT NULL DEFAULT 0,
    first_tried_at timestamptz,
    -- The end of the lease; null without a claim. A claim that finds one was preceded by an attempt without an end.
    claimed_until timestamptz,
    -- Whether an attempt may have sent the message although it is not marked as sent.
    may_repeat boolean NOT NULL DEFAULT false,
    -- What the receivers have answered, one element for each message of the row that has left.
    answers jsonb NOT NULL DEFAULT '[]',
    last_error text,
    -- When the domain was told that the row does not leave.
    told_at timestamptz,
    -- The function of the notice that is still to be called, when nothing is sent any more.
    pending_call text CONSTRAINT outbox_pending_call_check CHECK (pending_call IN ('sent', 'failed')),
    sent_at timestamptz,
    gave_up_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- The row that a further send of the same message joins: one that no worker has taken.
CREATE UNIQUE INDEX outbox_waiting_key ON kernel.outbox (kind, record_id, key) WHERE attempts = 0;
CREATE INDEX outbox_due_idx ON kernel.outbox (not_before, id) WHERE sent_at IS NULL AND gave_up_at IS NULL;
CREATE INDEX outbox_order_idx ON kernel.outbox (kind, record_id, key, id) WHERE sent_at IS NULL AND gave_up_at IS NULL;
CREATE INDEX outbox_ended_idx ON kernel.outbox (coalesce(sent_at, gave_up_at))
    WHERE sent_at IS NOT NULL OR gave_up_at IS NOT NULL;

COMMENT ON INDEX kernel.outbox_pkey IS 'primary key, default order';
COMMENT ON INDEX kernel.outbox_waiting_key IS 'unique; the row that a further send joins';
COMMENT ON INDEX kernel.outbox_due_idx IS 'what workers take next';
COMMENT ON INDEX kernel.outbox_order_idx IS 'earlier messages about the same record';
COMMENT ON INDEX kernel.outbox_ended_idx IS 'rows old enough to be removed';

-- Administrators see what waits and what has failed.
GRANT SELECT ON kernel.outbox TO learntrack_admin;
ALTER TABLE kernel.outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY outbox_admin ON kernel.outbox FOR SELECT TO learntrack_admin USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0140_outbox.sql') ON CONFLICT DO NOTHING;
