-- The id in the link of a signatory, for the worker that phrases the mail. The server adds the secret.
CREATE OR REPLACE FUNCTION kernel.signature_link(signatory bigint) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT l.link_id FROM kernel.signature_links AS l
    WHERE l.company_id = kernel.company() AND l.signatory_id = $1
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_link(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_link(bigint) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/signature_link.sql', '76fb600d9802553f');
