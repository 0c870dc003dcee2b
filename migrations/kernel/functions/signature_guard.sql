-- Refuses to change or remove what was signed: the trigger of the tables of signatures, for their owner too.
--
-- A document that is asked for, and its signatories, are never changed in what was shown to them, and signatories are entered
-- by the transaction that asks. What is added is how far the signing is, once, and the evidence after the last signature. Until
-- a signatory has signed, the address and the link may be replaced; what is known of a mail to another address, and of its link,
-- goes with it. A signature is entered at its own moment, while the document waits and before its deadline, which never changes;
-- a document is signed once all its signatories have. A request of which no one has signed may be removed; with their company, all are.
CREATE OR REPLACE FUNCTION kernel.signature_guard() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    was jsonb;
    becomes jsonb;
    -- The columns that may still change.
    open text[];
    company bigint;
    of_signature bigint;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        RAISE EXCEPTION 'signatures are kept' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'INSERT' THEN
        becomes := to_jsonb(NEW);
        company := (becomes ->> 'company_id')::bigint;
        of_signature := coalesce(
            becomes ->> 'signature_id',
            (SELECT s.signature_id::text FROM kernel.signatories AS s
                WHERE s.company_id = company AND s.id = (becomes ->> 'signatory_id')::bigint)
            )::bigint;
        IF NOT EXISTS (
            SELECT FROM kernel.signatures AS s
            WHERE s.company_id = company AND s.id = of_signature AND s.status = 'waiting' AND s.xmin = pg_current_xact_id()::xid)
        THEN
            RAISE EXCEPTION 'what was asked to be signed cannot be extended' USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NEW;
    END IF;
    was := to_jsonb(OLD);
    company := (was ->> 'company_id')::bigint;
    IF TG_OP = 'DELETE' THEN
        -- kernel.company_empty: the whole company is removed. No other role than the owner deletes from these tables.
        IF current_setting('learntrack.erasing', true) = 'company' THEN
            RETURN OLD;
        END IF;
        of_signature := coalesce(
            was ->> 'signature_id',
            (SELECT s.signature_id::text FROM kernel.signatories AS s
                WHERE s.company_id = company AND s.id = (was ->> 'signatory_id')::bigint),
            was ->> 'id')::bigint;
        IF was ->> 'signed_at' IS NOT NULL OR EXISTS (
            SELECT FROM kernel.signatories AS s
            WHERE s.company_id = company AND s.signature_id = of_signature AND s.signed_at IS NOT NULL)
        THEN
            RAISE EXCEPTION 'what was signed cannot be removed' USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN OLD;
    END IF;
    becomes := to_jsonb(NEW);
    open := CASE TG_TABLE_NAME
        WHEN 'signatures' THEN
            CASE WHEN was ->> 'status' = 'waiting' AND (becomes ->> 'status' <> 'signed' OR NOT EXISTS (
                    SELECT FROM kernel.signatories AS s
                    WHERE s.company_id = company AND s.signature_id = (was ->> 'id')::bigint AND s.signed_at IS NULL))
                THEN ARRAY['status', 'completed_at', 'cancelled_at']
                WHEN was ->> 'final_sha256' IS NULL AND becomes ->> 'final_sha256' = (
                    SELECT encode(sha256(d.shown || d.addition), 'hex') FROM kernel.signature_documents AS d
                    WHERE d.company_id = company AND d.signature_id = (was ->> 'id')::bigint)
                THEN ARRAY['final_sha256']
                ELSE '{}' END
        WHEN 'signatories' THEN
            CASE WHEN was ->> 'signed_at' IS NOT NULL THEN ARRAY['mailed_at', 'mail_error']
                ELSE ARRAY['mailed_at', 'mail_error', 'reminded_at', 'reminders', 'opened_at']
                    || CASE WHEN (becomes ->> 'signed_at')::timestamptz BETWEEN now() AND clock_timestamp() AND EXISTS (
                            -- The beginning of the transaction counts: the deadline may pass while a signature is entered.
                            SELECT FROM kernel.signatures AS s
                            WHERE s.company_id = company AND s.id = (was ->> 'signature_id')::bigint
                                AND s.status = 'waiting' AND s.expires_at > now()
                            FOR SHARE)
                        THEN ARRAY['signed_at', 'signed_name', 'consent', 'address', 'device'] ELSE '{}' END
                    || CASE WHEN num_nonnulls(becomes ->> 'mailed_at', becomes ->> 'opened_at', becomes ->> 'signed_at') = 0
                        THEN ARRAY['email'] ELSE '{}' END
                END
        WHEN 'signature_documents' THEN
            CASE WHEN was ->> 'addition' IS NULL AND EXISTS (
                    SELECT FROM kernel.signatures AS s
                    WHERE s.company_id = company AND s.id = (was ->> 'signature_id')::bigint AND s.status = 'signed')
                THEN ARRAY['addition'] ELSE '{}' END
        ELSE
            CASE WHEN was ->> 'drawing' IS NULL AND EXISTS (
                    SELECT FROM kernel.signatories AS s JOIN kernel.signatures AS d
                        ON d.company_id = company AND d.id = s.signature_id
                    WHERE s.company_id = company AND s.id = (was ->> 'signatory_id')::bigint AND s.signed_at IS NULL
                        AND d.status = 'waiting' AND d.expires_at > now())
                THEN ARRAY['drawing', 'link_id'] ELSE '{}' END
        END;
    IF was - open IS DISTINCT FROM becomes - open THEN
        RAISE EXCEPTION 'what was signed, or was asked to be signed, cannot be changed'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_guard() FROM PUBLIC;

DO $$
DECLARE
    guarded text;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['signatures', 'signatories', 'signature_documents', 'signature_links'] LOOP
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER signature_guard BEFORE UPDATE OR DELETE ON kernel.%I '
            'FOR EACH ROW EXECUTE FUNCTION kernel.signature_guard()', guarded);
        IF guarded <> 'signatures' THEN
            EXECUTE format(
                'CREATE OR REPLACE TRIGGER signature_guard_insert BEFORE INSERT ON kernel.%I '
                'FOR EACH ROW EXECUTE FUNCTION kernel.signature_guard()', guarded);
        END IF;
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER signature_guard_table BEFORE TRUNCATE ON kernel.%I '
            'FOR EACH STATEMENT EXECUTE FUNCTION kernel.signature_guard()', guarded);
    END LOOP;
END
$$;

-- Every step is in the journal, which accounts read: without what they may not read of a signatory.
SELECT kernel.journal_keep('kernel.signatures');
SELECT kernel.journal_keep('kernel.signatories', 'address', 'device');

SELECT kernel.note_file('kernel', 'functions/signature_guard.sql', '89de91dcd75831a8');
