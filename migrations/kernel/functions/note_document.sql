-- Counts a document that a company has made. The count of a moment before a failure of the database may be lost: a document waits for
-- no disk.
CREATE OR REPLACE FUNCTION kernel.note_document(company bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO kernel.usage AS u (company_id, day, documents)
    VALUES (company, kernel.local_day(now()), 1)
    ON CONFLICT (company_id, day) DO UPDATE SET documents = u.documents + 1;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.note_document(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.note_document(bigint) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/note_document.sql', '40f90db773b0fa98');
