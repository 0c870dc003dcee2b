-- Signs a document through a link. Returns `signed`; `complete` if this was the last signature; or why it is refused:
-- `unknown`, `used`, `cancelled`, `late`.
--
-- The row of the document is locked: of two signatures through one link one is refused as used, the last of several
-- signatories is exactly one, and a cancellation comes before or after.
CREATE OR REPLACE FUNCTION kernel.signature_sign(
    link uuid, given_name text, agreed text, from_address text, from_device text, drawn bytea, request text
) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    asked kernel.signatures;
    who kernel.signatories;
BEGIN
    SELECT s.* INTO who FROM kernel.signatories AS s JOIN kernel.signature_links AS l
        ON l.company_id = s.company_id AND l.signatory_id = s.id
    WHERE l.link_id = link;
    IF NOT FOUND THEN
        RETURN 'unknown';
    END IF;
    SELECT * INTO asked FROM kernel.signatures AS s
    WHERE s.company_id = who.company_id AND s.id = who.signature_id FOR NO KEY UPDATE;
    -- A statement after the lock sees what the holder before has written.
    SELECT * INTO who FROM kernel.signatories AS s
    WHERE s.company_id = who.company_id AND s.id = who.id FOR NO KEY UPDATE;
    IF who.signed_at IS NOT NULL THEN
        RETURN 'used';
    ELSIF asked.status = 'cancelled' THEN
        RETURN 'cancelled';
    ELSIF asked.expires_at <= clock_timestamp() THEN
        RETURN 'late';
    END IF;
    PERFORM kernel.signature_author(who, request);
    UPDATE kernel.signature_links AS l SET drawing = drawn
    WHERE l.company_id = who.company_id AND l.signatory_id = who.id AND drawn IS NOT NULL;
    UPDATE kernel.signatories AS s
    SET opened_at = coalesce(s.opened_at, clock_timestamp()), signed_at = clock_timestamp(), signed_name = given_name,
        consent = agreed, address = from_address, device = left(from_device, 300)
    WHERE s.company_id = who.company_id AND s.id = who.id;
    IF EXISTS (SELECT FROM kernel.signatories AS s
        WHERE s.company_id = who.company_id AND s.signature_id = asked.id AND s.signed_at IS NULL)
    THEN
        RETURN 'signed';
    END IF;
    UPDATE kernel.signatures AS s SET status = 'signed', completed_at = clock_timestamp()
    WHERE s.company_id = who.company_id AND s.id = asked.id;
    -- The mails also make the signed document, if the server ends before it has.
    PERFORM kernel.send('signatures.completion', asked.id);
    PERFORM kernel.send('signatures.copy', s.id) FROM kernel.signatories AS s
    WHERE s.company_id = who.company_id AND s.signature_id = asked.id ORDER BY s.id;
    RETURN 'complete';
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_sign(uuid, text, text, text, text, bytea, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_sign(uuid, text, text, text, text, bytea, text) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/signature_sign.sql', '7a2ad1070f4669e9');
