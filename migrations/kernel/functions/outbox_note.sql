-- Notes how an attempt goes on or has ended, to send a message of the company of the transaction. It raises the violation `kernel_outbox_claim` if another worker has claimed the
-- message since, so that the transaction of a worker has no effect when its lease has ended.
--
-- outcome  sending: a message may leave from now on, and the lease begins again; delivered: it has left, and others of the
--          row follow; sent: the last one has left; failed: another attempt follows after the delay; deferred: the same,
--          without an attempt; gave_up: no attempt follows; awaits_sent, awaits_failed: nothing is sent any more, and after
--          the delay this function of the domain is called again, which could not be run
-- answer   what the receiver has answered, for delivered, sent and awaits_sent
-- error    why, for failed, deferred, gave_up and awaits_failed
-- delay    the lease, for sending and delivered, or the time to the next attempt
-- unclear  whether the message may have left all the same
-- told     whether the same transaction calls the function `failed` of the domain
CREATE OR REPLACE FUNCTION kernel.outbox_note(
    of_id bigint, of_attempt integer, outcome text, answer jsonb, error text, delay interval, unclear boolean,
    told boolean
) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    continues boolean := outcome IN ('sending', 'delivered');
BEGIN
    UPDATE kernel.outbox AS o
    SET claimed_until = CASE WHEN continues THEN now() + delay END,
        not_before = CASE WHEN delay IS NULL THEN o.not_before ELSE now() + delay END,
        answers = CASE WHEN answer IS NULL THEN o.answers ELSE o.answers || jsonb_build_array(answer) END,
        failures = o.failures + (outcome IN ('failed', 'gave_up', 'awaits_sent', 'awaits_failed'))::integer,
        last_error = coalesce(left(error, 500), o.last_error),
        departing = outcome = 'sending',
        -- What the failure concerns is noted by kernel.outbox_cause.
        cause = CASE WHEN outcome NOT IN ('delivered', 'sent', 'awaits_sent') THEN o.cause END,
        -- About the next message, which is another one when this one has left.
        may_repeat = outcome <> 'delivered' AND (o.may_repeat OR unclear),
        told_at = CASE WHEN told THEN now() ELSE o.told_at END,
        pending_call = CASE outcome WHEN 'awaits_sent' THEN 'sent' WHEN 'awaits_failed' THEN 'failed' END,
        sent_at = CASE WHEN outcome = 'sent' THEN now() END,
        gave_up_at = CASE WHEN outcome = 'gave_up' THEN now() END
    WHERE o.company_id = kernel.company() AND o.id = of_id AND o.attempts = of_attempt AND o.claimed_until IS NOT NULL
        AND o.sent_at IS NULL AND o.gave_up_at IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'another worker has claimed the message'
            USING ERRCODE = '23000', CONSTRAINT = 'kernel_outbox_claim';
    END IF;
    -- The next message about the same record may be due.
    IF outcome IN ('sent', 'gave_up') THEN
        PERFORM pg_notify('outbox', '') FROM kernel.outbox AS ended
        JOIN kernel.outbox AS next USING (company_id, kind, record_id, key)
        WHERE ended.company_id = kernel.company() AND ended.id = of_id AND next.id > of_id AND next.sent_at IS NULL AND next.gave_up_at IS NULL
        LIMIT 1;
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_note(bigint, integer, text, jsonb, text, interval, boolean, boolean)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_note(bigint, integer, text, jsonb, text, interval, boolean, boolean)
    TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_note.sql', '7cf1870e6e1d3e65');
