-- Notes that the mail with the link of a signatory has not left, and why.
CREATE OR REPLACE FUNCTION kernel.signature_unmailed(signatory bigint, failure jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE kernel.signatories AS s SET mail_error = left($2 ->> 'error', 500)
    WHERE s.company_id = kernel.company() AND s.id = $1
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_unmailed(bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_unmailed(bigint, jsonb) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/signature_unmailed.sql', 'fea9079f222be0ef');
