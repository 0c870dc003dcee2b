-- The change feed: which rows were written, in an order that no later commit can come before.
--
-- A row of kernel.changes belongs to the transaction that wrote the record. Transactions get their number when they
-- first write and end in any order, so a reader takes only rows of transactions below the oldest one that still runs,
-- pg_snapshot_xmin(pg_current_snapshot()): every transaction below it has ended, and no new one gets a number below it.
-- The rows, sorted by (xid, id), then only grow at their end, and (xid, id) is a position that a reader can continue
-- from.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE kernel.changes (
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    id bigserial,
    at timestamptz NOT NULL DEFAULT now(),
    table_name text NOT NULL,
    -- Null for `truncate`, which removes all records of the table.
    row_id bigint,
    operation text NOT NULL,
    -- The version that the write gave the record, or that the deleted record had. Null for a table without versions.
    version bigint,
    -- Of a table with records that belong to a subject: the column and its values, the present one first, then the one
    -- before an update that changed it: {"truck_id": [7, 3]}.
    owned jsonb,
    CONSTRAINT changes_pkey PRIMARY KEY (xid, id),
    CONSTRAINT changes_row_id CHECK ((row_id IS NULL) = (operation = 'truncate'))
);

-- The position of the last row that was removed. A reader that continues from before it has missed changes.
CREATE TABLE kernel.changes_removed (
    is_only boolean PRIMARY KEY DEFAULT true CONSTRAINT changes_removed_is_only CHECK (is_only),
    xid xid8 NOT NULL,
    id bigint NOT NULL
);

INSERT INTO kernel.changes_removed (xid, id) VALUES ('0', 0);

-- The table only grows at one end and shrinks at the other. Without this, a million inserts pass between two vacuums
-- and a reader at the end of the index would step over the entries of removed rows.
ALTER TABLE kernel.changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- The server reads all changes and filters them for each listener by the rights of its account. The roles of accounts
-- may not read the table, because it has the ids of records that they may not see.
GRANT SELECT ON kernel.changes, kernel.changes_removed TO learntrack_auth;
ALTER TABLE kernel.changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.changes_removed ENABLE ROW LEVEL SECURITY;
CREATE POLICY changes_auth ON kernel.changes FOR SELECT TO learntrack_auth USING (true);
CREATE POLICY changes_removed_auth ON kernel.changes_removed FOR SELECT TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0100_changes.sql') ON CONFLICT DO NOTHING;
