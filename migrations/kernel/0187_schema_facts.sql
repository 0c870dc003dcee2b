-- What the migrations have left in the database, so that `doctor` can say what is missing of it: tables, functions, owners,
-- grants, row-level security, policies.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE kernel.schema_facts (
    -- A sentence without a verb, such as `SELECT on public.clients for learntrack_user`.
    fact text CONSTRAINT schema_facts_pkey PRIMARY KEY,
    -- The table or the function that it is about, if it is about one.
    subject text,
    -- The statement that makes it true again; null if there is none.
    remedy text
);

COMMENT ON INDEX kernel.schema_facts_pkey IS 'primary key';

-- The owner alone reads and writes it.
ALTER TABLE kernel.schema_facts ENABLE ROW LEVEL SECURITY;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0187_schema_facts.sql') ON CONFLICT DO NOTHING;
