-- Keeps the bytes of a file that an account gives to its company. The same bytes of one account are one file of the company, which
-- then counts as given now. Returns null if the account has given the company more than 64 MiB within a day.
--
-- Only one call at a time keeps a file of an account in a company, so that the sum is right. A concurrent call is refused and does
-- not wait: it would hold a connection that sign-ins need.
CREATE OR REPLACE FUNCTION kernel.file_put(owner bigint, kind text, content bytea) RETURNS kernel.files
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    kept kernel.files;
    digest bytea := sha256(content);
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('kernel.files ' || kernel.company(), owner)) THEN
        RAISE EXCEPTION 'another file of the account is being kept' USING ERRCODE = 'lock_not_available';
    END IF;
    IF (SELECT coalesce(sum(f.size), 0) + octet_length(content) > 67108864 FROM kernel.files AS f
        WHERE f.company_id = kernel.company() AND f.account_id = owner AND f.sha256 <> digest
            AND f.given_at > now() - interval '1 day')
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO kernel.files (company_id, account_id, sha256, media_type, size)
    VALUES (kernel.company(), owner, digest, kind, octet_length(content))
    ON CONFLICT ON CONSTRAINT files_account_id_key DO UPDATE SET given_at = now()
    RETURNING * INTO kept;
    -- They are missing after a restore without them.
    INSERT INTO kernel.file_bytes (company_id, file_id, bytes) VALUES (kept.company_id, kept.id, content)
    ON CONFLICT DO NOTHING;
    RETURN kept;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.file_put(bigint, text, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.file_put(bigint, text, bytea) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/file_put.sql', '39a90fbde9d87f07');
