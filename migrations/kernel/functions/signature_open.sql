-- Notes that a person used the page of a link for the first time.
CREATE OR REPLACE FUNCTION kernel.signature_open(link uuid, request text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    who kernel.signatories;
BEGIN
    SELECT s.* INTO who FROM kernel.signatories AS s JOIN kernel.signature_links AS l
        ON l.company_id = s.company_id AND l.signatory_id = s.id
    WHERE l.link_id = link AND s.opened_at IS NULL AND s.signed_at IS NULL
    FOR NO KEY UPDATE OF s;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM kernel.signature_author(who, request);
    UPDATE kernel.signatories AS s SET opened_at = clock_timestamp()
    WHERE s.company_id = who.company_id AND s.id = who.id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_open(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_open(uuid, text) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/signature_open.sql', 'bf972649f83ed705');
