-- The last moment at which the link of a signatory signs, in the service's time zone: `2026-12-07T14:32`.
CREATE OR REPLACE FUNCTION kernel.signature_deadline(signatory bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT to_char(
        d.expires_at AT TIME ZONE coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'UTC'),
        'YYYY-MM-DD"T"HH24:MI')
    FROM kernel.signatories AS s JOIN kernel.signatures AS d ON d.company_id = kernel.company() AND d.id = s.signature_id
    WHERE s.company_id = kernel.company() AND s.id = $1
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_deadline(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_deadline(bigint) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/signature_deadline.sql', '89faa7818f37cbaf');
