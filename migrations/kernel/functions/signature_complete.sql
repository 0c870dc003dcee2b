-- Keeps the page of evidence of a document that all have signed: the bytes that follow those that were shown. What was kept
-- first stays.
CREATE OR REPLACE FUNCTION kernel.signature_complete(of_id bigint, following bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM kernel.signatures AS s
    WHERE s.company_id = kernel.company() AND s.id = of_id AND s.status = 'signed' FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the document is not signed' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE kernel.signature_documents AS d SET addition = following
    WHERE d.company_id = kernel.company() AND d.signature_id = of_id AND d.addition IS NULL;
    IF FOUND THEN
        PERFORM set_config('learntrack.author', 'signatures', true);
        UPDATE kernel.signatures AS s
        SET final_sha256 = (
            SELECT encode(sha256(d.shown || d.addition), 'hex') FROM kernel.signature_documents AS d
            WHERE d.company_id = kernel.company() AND d.signature_id = of_id)
        WHERE s.company_id = kernel.company() AND s.id = of_id;
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_complete(bigint, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_complete(bigint, bytea) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/signature_complete.sql', '2a7d4e6019e509ff');
