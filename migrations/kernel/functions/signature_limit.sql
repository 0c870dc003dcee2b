-- Refuses a call with which an account asks for too much in its company within a day, so that a stolen token cannot send mails
-- without end.
-- Documents that it has asked signatures for count, and signatories of its documents whose link was mailed again.
--
-- most  how many there may be
CREATE OR REPLACE FUNCTION kernel.signature_limit(account bigint, most integer) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('kernel.signatures', account));
    IF (SELECT count(*) FROM kernel.signatures AS s
        WHERE s.company_id = kernel.company() AND s.account_id = account AND s.created_at > now() - interval '1 day')
        + (SELECT count(*) FROM kernel.signatures AS s JOIN kernel.signatories AS p
            ON p.company_id = kernel.company() AND p.signature_id = s.id
            WHERE s.company_id = kernel.company() AND s.account_id = account AND s.created_at > now() - interval '15 days'
                AND p.reminded_at > now() - interval '1 day')
        > most
    THEN
        PERFORM kernel.refuse('signatures_full');
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_limit(bigint, integer) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/signature_limit.sql', 'f3f1e44732ce8afd');
