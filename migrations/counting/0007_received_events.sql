-- The events of a call of a gateway as a relation in memory. `counting.received_events` reads them, `counting.record_events`
-- judges them, and `counting.add_entries` stores those that are new.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TYPE counting.received_event AS (
    -- Its place in the call.
    place bigint,
    -- Null until it is judged.
    series integer,
    sequence_number bigint,
    -- The instant by the clock that is believed.
    "timestamp" timestamptz,
    -- An event of this number with an instant between these is the same event.
    earliest timestamptz,
    latest timestamptz,
    delta integer,
    sequence_reset boolean,
    clock_skew boolean,
    -- Whether an event before it in the call has its number.
    is_repeated boolean,
    gateway_timestamp timestamptz,
    device_timestamp timestamptz,
    timestamp_source text,
    -- The entry of the same event, if it was stored before the call.
    entry_id bigint,
    -- The stored entry before which it has its place, if it is late.
    next_entry_id bigint
);

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0007_received_events.sql') ON CONFLICT DO NOTHING;
