-- Mails the link to a signatory again, with the deadline that it has. Returns the id of the document, or null if it has no such
-- signatory. The account that has asked does it, or an administrator.
--
-- email  another address, for one that was wrong; null: the address that the signatory has. Then the signatory gets another
--        link, and the one that was sent before opens nothing any more.
--
-- While the mail before still waits to leave, the two are one mail, which goes to the address of the last call: it does not
-- count. A signatory is mailed again ten times at most. Those of an account count in its hundred requests a day.
CREATE OR REPLACE FUNCTION kernel.signature_remind(id bigint, signatory bigint, email text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    asked kernel.signatures;
    who kernel.signatories;
    mail_waits boolean;
BEGIN
    SELECT * INTO asked FROM kernel.signatures AS s
    WHERE s.company_id = kernel.company() AND s.id = signature_remind.id FOR NO KEY UPDATE;
    SELECT * INTO who FROM kernel.signatories AS s
    WHERE s.company_id = asked.company_id AND s.id = signatory AND s.signature_id = asked.id FOR NO KEY UPDATE;
    IF who.id IS NULL THEN
        RETURN NULL;
    END IF;
    IF asked.account_id IS DISTINCT FROM kernel.account() AND kernel.role() IS DISTINCT FROM 'admin' THEN
        PERFORM kernel.refuse('signatures_owner');
    ELSIF who.signed_at IS NOT NULL THEN
        PERFORM kernel.refuse('signatories_waiting');
    ELSIF asked.status <> 'waiting' OR asked.expires_at <= clock_timestamp() THEN
        PERFORM kernel.refuse(
            'signatures_waiting',
            jsonb_build_object('status', CASE WHEN asked.status = 'waiting' THEN 'expired' ELSE asked.status END));
    END IF;
    -- The lock keeps workers from taking the mail before this transaction has ended.
    PERFORM FROM kernel.outbox AS o
    WHERE o.company_id = kernel.company() AND o.kind = 'signatures.invitation' AND o.record_id = who.id AND o.key = ''
        AND o.attempts = 0
    FOR UPDATE;
    mail_waits := FOUND;
    IF NOT mail_waits THEN
        IF who.reminders >= 10 THEN
            PERFORM kernel.refuse('signatories_reminders');
        END IF;
        PERFORM kernel.signature_limit(asked.account_id, 99);
    END IF;
    IF email <> who.email THEN
        IF EXISTS (SELECT FROM kernel.signatories AS s
            WHERE s.company_id = asked.company_id AND s.signature_id = asked.id AND s.id <> who.id
                AND lower(s.email) = lower(signature_remind.email))
        THEN
            PERFORM kernel.refuse('signatories_email');
        END IF;
        UPDATE kernel.signatories AS s
        SET email = signature_remind.email, mailed_at = NULL, mail_error = NULL, opened_at = NULL
        WHERE s.company_id = asked.company_id AND s.id = who.id;
        UPDATE kernel.signature_links AS l SET link_id = gen_random_uuid()
        WHERE l.company_id = asked.company_id AND l.signatory_id = who.id;
    END IF;
    IF mail_waits THEN
        RETURN asked.id;
    END IF;
    UPDATE kernel.signatories AS s
    SET mail_error = NULL, reminded_at = clock_timestamp(), reminders = s.reminders + 1
    WHERE s.company_id = asked.company_id AND s.id = who.id;
    PERFORM kernel.send('signatures.invitation', who.id);
    RETURN asked.id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_remind(bigint, bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.signature_remind(bigint, bigint, text) TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/signature_remind.sql', '7fd31c79ca00fd5d');
