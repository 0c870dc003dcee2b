-- kernel.outbox_take, as the version before calls it, which may still serve: it acts in the company of the installation.
CREATE OR REPLACE FUNCTION kernel.outbox_claim(kinds text[], at_most integer, lease interval)
    RETURNS TABLE (
        id bigint, kind text, record_id bigint, key text, message_id uuid, attempts integer, failures integer,
        seconds_tried bigint, may_repeat boolean, is_told boolean, answers jsonb, pending_call text, last_error text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT t.id, t.kind, t.record_id, t.key, t.message_id, t.attempts, t.failures, t.seconds_tried,
        t.may_repeat, t.is_told, t.answers, t.pending_call, t.last_error
    FROM kernel.outbox_take($1, $2, $3) AS t;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_claim(text[], integer, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_claim(text[], integer, interval) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_claim.sql', '12dc74187bccefcb');
