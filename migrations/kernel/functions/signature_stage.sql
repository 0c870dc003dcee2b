-- Keeps the bytes of a document that signatures are asked for. kernel.signature_request, later in the same transaction, names
-- its signatories.
CREATE OR REPLACE FUNCTION kernel.signature_stage(kind text, method text, params jsonb, name text, content bytea)
    RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    made bigint;
BEGIN
    IF kernel.account() IS NULL THEN
        RAISE EXCEPTION 'signatures are asked for by an account' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO kernel.signatures AS s (kind, method, params, name, sha256, account_id)
    VALUES (kind, method, params, name, encode(sha256(content), 'hex'), kernel.account())
    RETURNING s.id INTO made;
    INSERT INTO kernel.signature_documents (signature_id, shown) VALUES (made, content);
    PERFORM set_config('learntrack.signature', made::text, true);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_stage(text, text, jsonb, text, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_stage(text, text, jsonb, text, bytea) TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/signature_stage.sql');
