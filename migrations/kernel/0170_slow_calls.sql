-- What `learntrack explain` shows: the statements of calls that were slow. They have `$1`, `$2`, … in the place of the values that
-- people have given.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE kernel.slow_calls (
    -- Of the role and the statements; the log has it.
    hash text CONSTRAINT slow_calls_pkey PRIMARY KEY
        CONSTRAINT slow_calls_hash_check CHECK (hash ~ '^[0-9a-f]{12}$'),
    -- The method that was called when the hash was first noted.
    method text NOT NULL,
    -- The database role of the call. Its policies are part of the plan.
    role text NOT NULL,
    -- Objects {sql, parameters, custom_plan}, in the order of the call.
    statements jsonb NOT NULL
        CONSTRAINT slow_calls_statements_check CHECK (jsonb_typeof(statements) = 'array'),
    noted_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON INDEX kernel.slow_calls_pkey IS 'primary key';

-- kernel.note_slow_call alone writes it; the owner of the schema reads it.
ALTER TABLE kernel.slow_calls ENABLE ROW LEVEL SECURITY;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0170_slow_calls.sql') ON CONFLICT DO NOTHING;
