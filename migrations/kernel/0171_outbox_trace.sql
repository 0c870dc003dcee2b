-- The outbox says in which trace a message was entered, so that a request that leaves the service continues the trace of the
-- call it follows from.
--
-- Safe from: 1.0.0
-- Locks: kernel.outbox against everything, for a moment

-- The header `traceparent`, which the server sets for the transaction of a call that came with one.
ALTER TABLE kernel.outbox ADD COLUMN trace text DEFAULT nullif(current_setting('learntrack.trace', true), '');

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0171_outbox_trace.sql') ON CONFLICT DO NOTHING;
