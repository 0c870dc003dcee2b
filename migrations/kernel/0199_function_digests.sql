-- Files of functions record a digest of their text, too: `migrate status` tells an older one that psql has run from the present one.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

-- Called at the end of a file of functions. `learntrack migrate up` puts the checksum of the file in the place of the digest.
CREATE FUNCTION kernel.note_file(domain text, name text, digest text) RETURNS void
    LANGUAGE sql
AS $$
    INSERT INTO kernel.migrations AS m (domain, name, checksum) VALUES ($1, $2, $3)
    ON CONFLICT ON CONSTRAINT migrations_pkey DO UPDATE SET checksum = excluded.checksum, applied_at = now()
$$;

REVOKE EXECUTE ON FUNCTION kernel.note_file(text, text, text) FROM PUBLIC;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0199_function_digests.sql') ON CONFLICT DO NOTHING;
