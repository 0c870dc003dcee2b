-- Asks the signatories to sign the document that kernel.signature_stage has kept in this transaction, and returns its id. A
-- mail with a link goes to each of them.
--
-- document     what the call gave. It is not read here: the server has made the document from it, and a command passes all
--              parameters of its call
-- signatories  [{"name", "email", "capacity"}]
--
-- An account asks for a hundred documents within a day at most.
CREATE OR REPLACE FUNCTION kernel.signature_request(document jsonb, signatories jsonb) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    made bigint := nullif(current_setting('learntrack.signature', true), '')::bigint;
    one jsonb;
    added bigint;
BEGIN
    PERFORM set_config('learntrack.signature', '', true);
    IF made IS NULL THEN
        RAISE EXCEPTION 'no document was kept for the signatures' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- The document that was kept is one of them.
    PERFORM kernel.signature_limit(kernel.account(), 100);
    FOR one IN SELECT value FROM jsonb_array_elements(signatories) LOOP
        IF EXISTS (SELECT FROM kernel.signatories AS s
            WHERE s.company_id = kernel.company() AND s.signature_id = made AND lower(s.email) = lower(one ->> 'email'))
        THEN
            PERFORM kernel.refuse('signatories_email');
        END IF;
        INSERT INTO kernel.signatories AS s (company_id, signature_id, name, email, capacity)
        VALUES (kernel.company(), made, one ->> 'name', one ->> 'email', one ->> 'capacity')
        RETURNING s.id INTO added;
        INSERT INTO kernel.signature_links (company_id, signatory_id) VALUES (kernel.company(), added);
        PERFORM kernel.send('signatures.invitation', added);
    END LOOP;
    RETURN made;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_request(jsonb, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_request(jsonb, jsonb) TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/signature_request.sql', 'dc5276e2061c47c1');
