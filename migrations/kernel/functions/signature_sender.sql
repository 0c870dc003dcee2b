-- The name and the address of the account that asks a signatory, `Marie Curie (marie@exemple.fr)`, the address alone without a
-- name; null if it is gone or no longer active.
CREATE OR REPLACE FUNCTION kernel.signature_sender(signatory bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT kernel.account_sender(u)
    FROM kernel.signatories AS s JOIN kernel.signatures AS d ON d.company_id = kernel.company() AND d.id = s.signature_id
    JOIN public.users AS u ON u.company_id = d.company_id AND u.id = d.account_id
    WHERE s.company_id = kernel.company() AND s.id = $1 AND u.is_member
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_sender(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_sender(bigint) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/signature_sender.sql', '075878ffbee45815');
