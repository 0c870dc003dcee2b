-- The journal: who changed what. Triggers add one row for every row that is written, in the same transaction, also at
-- psql. A change and its entry are therefore committed together or not at all.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE public.journal (
    id bigserial CONSTRAINT journal_pkey PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    table_name text NOT NULL,
    -- No foreign key: an entry outlives its row. Null for a table that was emptied as a whole.
    row_id bigint,
    operation text NOT NULL
        CONSTRAINT journal_operation_check CHECK (operation IN ('create', 'update', 'delete', 'truncate')),
    -- {"id", "email", "username": the account as it was then, null without one; "database_user": the login}.
    actor jsonb NOT NULL,
    request_id text,
    -- The whole row of an insert or delete; only the changed columns of an update. Earlier states follow from the
    -- present row and the entries.
    before jsonb,
    after jsonb,
    -- The schema of the table. Names of tables are unique over all domains, so that people need not look at it.
    table_schema text NOT NULL DEFAULT 'public'
);

CREATE INDEX journal_row_idx ON public.journal (table_name, row_id, id);
CREATE INDEX journal_at_idx ON public.journal (at, id);

COMMENT ON INDEX public.journal_pkey IS 'primary key, default order';
COMMENT ON INDEX public.journal_row_idx IS 'history of a record';
COMMENT ON INDEX public.journal_at_idx IS 'entries of a period';

-- Whether the caller sees this row in a statement of its own, under row-level security.
CREATE FUNCTION kernel.is_readable(table_schema text, table_name text, row_id bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.%I WHERE id = $1)', table_schema, table_name) INTO found USING row_id;
    RETURN found;
END
$$;

-- Roles may only read. A role that may read a table may read its history: the condition asks Postgres for that right, so
-- that no second list of tables is kept. Only the entries of one page pay for it: the filter of a history consists of
-- leakproof comparisons, which Postgres evaluates first, through the index. A caller with a subject reads the entries of
-- the rows that it may read now.
--
-- The policy is for every role that has SELECT: kernel.role_keep grants it to those of domains. CASE, because to_regclass
-- fails on a schema that the role may not use. Any column, because no role has the right to read a column that calls only write;
-- the journal hides its values.
GRANT SELECT ON public.journal TO learntrack_user, learntrack_admin;
ALTER TABLE public.journal ENABLE ROW LEVEL SECURITY;
CREATE POLICY journal_admin ON public.journal FOR SELECT TO learntrack_admin USING (true);
CREATE POLICY journal_readers ON public.journal FOR SELECT
    USING (
        CASE
            WHEN pg_catalog.has_schema_privilege(
                pg_catalog.to_regnamespace(pg_catalog.quote_ident(table_schema)), 'USAGE')
            THEN CASE
                WHEN pg_catalog.has_any_column_privilege(
                    pg_catalog.to_regclass(
                        pg_catalog.quote_ident(table_schema) || '.' || pg_catalog.quote_ident(table_name)), 'SELECT')
                THEN CASE
                    WHEN nullif(pg_catalog.current_setting('learntrack.subject', true), '') IS NULL THEN true
                    ELSE kernel.is_readable(table_schema, table_name, row_id)
                END
                ELSE false
            END
            ELSE false
        END);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0008_journal.sql') ON CONFLICT DO NOTHING;
