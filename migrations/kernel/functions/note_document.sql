-- Counts documents that a company has made about a moment: servers count in memory and write every few seconds. The counts of a moment
-- before a failure of the database may be lost: nothing waits for the disk. A company that has been erased meanwhile has none.
--
-- The function of before counted one.
DROP FUNCTION IF EXISTS kernel.note_document(bigint);
CREATE OR REPLACE FUNCTION kernel.note_document(company bigint, number integer DEFAULT 1, at timestamptz DEFAULT now())
    RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO kernel.usage AS u (company_id, day, documents)
    SELECT c.id, kernel.local_day(note_document.at), number FROM kernel.companies AS c WHERE c.id = note_document.company
    ON CONFLICT (company_id, day) DO UPDATE SET documents = u.documents + EXCLUDED.documents;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.note_document(bigint, integer, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.note_document(bigint, integer, timestamptz) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/note_document.sql', '7e71e153a6fc44fb');
