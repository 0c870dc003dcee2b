-- Claims messages of these kinds that are due: no other worker takes them before the lease ends. Messages of one kind,
-- record and key leave one after the other, in their order.
CREATE OR REPLACE FUNCTION kernel.outbox_claim(kinds text[], at_most integer, lease interval)
    RETURNS TABLE (
        id bigint, kind text, record_id bigint, key text, message_id uuid, attempts integer, failures integer,
        seconds_tried bigint, may_repeat boolean, is_told boolean, answers jsonb, pending_call text, last_error text)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH due AS MATERIALIZED (
        SELECT o.id FROM kernel.outbox AS o
        WHERE o.sent_at IS NULL AND o.gave_up_at IS NULL AND o.not_before <= now() AND o.kind = ANY ($1)
            AND NOT EXISTS (
                SELECT FROM kernel.outbox AS earlier
                WHERE earlier.kind = o.kind AND earlier.record_id = o.record_id AND earlier.key = o.key
                    AND earlier.id < o.id AND earlier.sent_at IS NULL AND earlier.gave_up_at IS NULL)
        ORDER BY o.not_before, o.id
        LIMIT $2
        FOR UPDATE OF o SKIP LOCKED
    )
    UPDATE kernel.outbox AS o
    SET attempts = o.attempts + 1,
        -- The attempt before has not noted its end.
        may_repeat = o.may_repeat OR o.departing, departing = false,
        claimed_until = now() + $3, not_before = now() + $3, first_tried_at = coalesce(o.first_tried_at, now())
    FROM due WHERE o.id = due.id
    RETURNING o.id, o.kind, o.record_id, o.key, o.message_id, o.attempts, o.failures,
        extract(epoch FROM now() - o.first_tried_at)::bigint, o.may_repeat, o.told_at IS NOT NULL, o.answers,
        o.pending_call, o.last_error
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_claim(text[], integer, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_claim(text[], integer, interval) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_claim.sql', '195597b99e128c36');
