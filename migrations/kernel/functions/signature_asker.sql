-- The address of the account that has asked for the signatures of a document; null if it is gone or no longer active.
CREATE OR REPLACE FUNCTION kernel.signature_asker(signature bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT u.email FROM kernel.signatures AS s JOIN public.users AS u ON u.company_id = s.company_id AND u.id = s.account_id
    WHERE s.company_id = kernel.company() AND s.id = $1 AND u.is_member
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_asker(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_asker(bigint) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/signature_asker.sql', 'c38d292c167f9ea7');
