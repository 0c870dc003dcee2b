-- Jobs: what the server does by itself at certain times. Servers enter the jobs of the domains that they serve when they
-- start, and one of them at a time runs a job that is due, in one transaction with the entry of its end.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE kernel.jobs (
    name text CONSTRAINT jobs_pkey PRIMARY KEY,
    -- `every <seconds>` or `daily <hour>:<minute>`, in the time zone of the server's connections.
    schedule text NOT NULL,
    next_at timestamptz NOT NULL,
    -- Of the last run that has ended.
    last_started_at timestamptz,
    last_ended_at timestamptz,
    -- Null after a run that succeeded.
    last_error text,
    -- How many runs have failed since one that succeeded.
    failures integer NOT NULL DEFAULT 0
);

COMMENT ON INDEX kernel.jobs_pkey IS 'primary key';

-- The functions job_… alone read and write it.
ALTER TABLE kernel.jobs ENABLE ROW LEVEL SECURITY;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0141_jobs.sql') ON CONFLICT DO NOTHING;
