-- Files of functions record their names, as numbered files do: files that psql runs count as applied, too.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

-- Called at the end of a file of functions. Its checksum is not known; `learntrack migrate up` adds it.
CREATE FUNCTION kernel.note_file(domain text, name text) RETURNS void
    LANGUAGE sql
AS $$
    INSERT INTO kernel.migrations AS m (domain, name) VALUES ($1, $2)
    ON CONFLICT ON CONSTRAINT migrations_pkey DO UPDATE SET checksum = NULL, applied_at = now()
$$;

REVOKE EXECUTE ON FUNCTION kernel.note_file(text, text) FROM PUBLIC;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0197_function_records.sql') ON CONFLICT DO NOTHING;
