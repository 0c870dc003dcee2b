-- Notes that the mail with the link of a signatory has left.
CREATE OR REPLACE FUNCTION kernel.signature_mailed(signatory bigint, answers jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE kernel.signatories AS s SET mailed_at = clock_timestamp(), mail_error = NULL
    WHERE s.company_id = kernel.company() AND s.id = $1 AND jsonb_array_length($2) > 0
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_mailed(bigint, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_mailed(bigint, jsonb) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/signature_mailed.sql', '7a2817011a35cfee');
