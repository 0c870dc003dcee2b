-- The address of the account that asks a signatory; null if it is gone or no longer active.
CREATE OR REPLACE FUNCTION kernel.signature_sender(signatory bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT kernel.signature_asker(s.signature_id) FROM kernel.signatories AS s WHERE s.id = $1
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_sender(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_sender(bigint) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/signature_sender.sql');
