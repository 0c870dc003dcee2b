-- Keeps the bytes of a document that signatures are asked for. kernel.signature_request, later in the same transaction, names
-- its signatories.
--
-- subject  what the document is about, in words that follow "to sign"; null if the domain does not say it
CREATE OR REPLACE FUNCTION kernel.signature_stage(
    kind text, method text, params jsonb, name text, subject text, content bytea
) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    made bigint;
BEGIN
    IF kernel.account() IS NULL THEN
        RAISE EXCEPTION 'signatures are asked for by an account' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO kernel.signatures AS s (company_id, kind, method, params, name, subject, sha256, account_id)
    VALUES (kernel.company(), kind, method, params, name, subject, encode(sha256(content), 'hex'), kernel.account())
    RETURNING s.id INTO made;
    INSERT INTO kernel.signature_documents (company_id, signature_id, shown) VALUES (kernel.company(), made, content);
    PERFORM set_config('learntrack.signature', made::text, true);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_stage(text, text, jsonb, text, text, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_stage(text, text, jsonb, text, text, bytea) TO learntrack_user, learntrack_admin;

-- As the version before calls it, which may still serve.
CREATE OR REPLACE FUNCTION kernel.signature_stage(kind text, method text, params jsonb, name text, content bytea)
    RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT kernel.signature_stage($1, $2, $3, $4, NULL, $5)
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_stage(text, text, jsonb, text, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_stage(text, text, jsonb, text, bytea) TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/signature_stage.sql', '18566a4c46c4e30c');
