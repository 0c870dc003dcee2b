-- What a write with an idempotency key has answered, so that the same call answers it again instead of writing twice.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE kernel.idempotency (
    account_id bigint,
    key text,
    method text NOT NULL,
    -- SHA-256 of the method and its params.
    digest bytea NOT NULL,
    -- One text for each call: the id of the record that it wrote, or what a command has answered.
    answers jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_pkey PRIMARY KEY (account_id, key)
);

COMMENT ON INDEX kernel.idempotency_pkey IS 'primary key';

-- Rows older than a day are deleted a few at a time.
CREATE INDEX idempotency_age_idx ON kernel.idempotency (account_id, created_at);

COMMENT ON INDEX kernel.idempotency_age_idx IS 'the expired keys of an account';

-- No role has a right to the table: kernel.once and kernel.keep_answers alone read and write it.
ALTER TABLE kernel.idempotency ENABLE ROW LEVEL SECURITY;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0090_idempotency.sql') ON CONFLICT DO NOTHING;
