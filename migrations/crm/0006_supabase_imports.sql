-- The rows that `learntrack import supabase` has imported. The next run does not overwrite them.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it
CREATE TABLE public.supabase_imports (
    table_name text,
    row_id bigint,
    imported_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT supabase_imports_pkey PRIMARY KEY (table_name, row_id)
);

ALTER TABLE public.supabase_imports ENABLE ROW LEVEL SECURITY;

COMMENT ON INDEX public.supabase_imports_pkey IS 'primary key';

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0006_supabase_imports.sql') ON CONFLICT DO NOTHING;
