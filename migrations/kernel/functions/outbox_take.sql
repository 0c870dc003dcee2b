-- Claims messages of these kinds that are due: no other worker takes them before the lease ends. Messages of one company, kind,
-- record and key leave one after the other, in their order.
--
-- Companies take turns, and in each company its members: of those that have messages, a few are chosen by chance, and each of
-- them has an equal share. One with thousands of messages does not hold up the others. Messages of a suspended company
-- wait.
CREATE OR REPLACE FUNCTION kernel.outbox_take(kinds text[], at_most integer, lease interval)
    RETURNS TABLE (
        company_id bigint, id bigint, kind text, record_id bigint, key text, message_id uuid, attempts integer,
        failures integer, seconds_tried bigint, may_repeat boolean, is_told boolean, answers jsonb, pending_call text,
        last_error text, trace text)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    -- One step of the index for each company with waiting messages.
    WITH RECURSIVE waiting (company) AS (
        SELECT min(o.company_id) FROM kernel.outbox AS o WHERE o.sent_at IS NULL AND o.gave_up_at IS NULL
        UNION ALL
        SELECT (
            SELECT min(o.company_id) FROM kernel.outbox AS o
            WHERE o.company_id > w.company AND o.sent_at IS NULL AND o.gave_up_at IS NULL)
        FROM waiting AS w WHERE w.company IS NOT NULL
    ), ready (company, messages) AS MATERIALIZED (
        SELECT chosen.company, $2 / count(*) OVER () FROM (
            SELECT w.company FROM waiting AS w
            WHERE EXISTS (
                SELECT FROM kernel.outbox AS o
                WHERE o.company_id = w.company AND o.sent_at IS NULL AND o.gave_up_at IS NULL AND o.not_before <= now()
                    AND o.kind = ANY ($1))
                AND NOT EXISTS (
                    SELECT FROM kernel.companies AS c
                    -- What was entered here leaves from here, also when its company has moved.
                    WHERE c.id = w.company AND c.suspended_at IS NOT NULL AND c.move IS DISTINCT FROM 'moved')
            ORDER BY random()
            LIMIT $2
        ) AS chosen
    ), senders (company, sender, messages) AS MATERIALIZED (
        SELECT r.company, chosen.sender, r.messages / count(*) OVER (PARTITION BY r.company)
        FROM ready AS r CROSS JOIN LATERAL (
            -- One step for each member of the company with waiting messages.
            WITH RECURSIVE waiting (sender) AS (
                SELECT min(o.sender_id) FROM kernel.outbox AS o
                WHERE o.company_id = r.company AND o.sent_at IS NULL AND o.gave_up_at IS NULL
                UNION ALL
                SELECT (
                    SELECT min(o.sender_id) FROM kernel.outbox AS o
                    WHERE o.company_id = r.company AND o.sender_id > w.sender AND o.sent_at IS NULL
                        AND o.gave_up_at IS NULL)
                FROM waiting AS w WHERE w.sender IS NOT NULL
            )
            SELECT w.sender FROM waiting AS w
            WHERE EXISTS (
                SELECT FROM kernel.outbox AS o
                WHERE o.company_id = r.company AND o.sender_id = w.sender AND o.sent_at IS NULL AND o.gave_up_at IS NULL
                    AND o.not_before <= now() AND o.kind = ANY ($1))
            ORDER BY random()
            LIMIT r.messages
        ) AS chosen
    ), due AS MATERIALIZED (
        SELECT chosen.company_id, chosen.id FROM senders AS s CROSS JOIN LATERAL (
            SELECT o.company_id, o.id FROM kernel.outbox AS o
            WHERE o.company_id = s.company AND o.sender_id = s.sender AND o.sent_at IS NULL AND o.gave_up_at IS NULL
                AND o.not_before <= now() AND o.kind = ANY ($1)
                AND o.id = (
                    SELECT min(same.id) FROM kernel.outbox AS same
                    WHERE same.company_id = o.company_id AND same.kind = o.kind AND same.record_id = o.record_id
                        AND same.key = o.key AND same.sent_at IS NULL AND same.gave_up_at IS NULL)
            ORDER BY o.not_before, o.id
            LIMIT s.messages
            FOR UPDATE OF o SKIP LOCKED
        ) AS chosen
    )
    UPDATE kernel.outbox AS o
    SET attempts = o.attempts + 1,
        -- The attempt before has not noted its end.
        may_repeat = o.may_repeat OR o.departing, departing = false,
        claimed_until = now() + $3, not_before = now() + $3, first_tried_at = coalesce(o.first_tried_at, now())
    FROM due WHERE o.company_id = due.company_id AND o.id = due.id
    RETURNING o.company_id, o.id, o.kind, o.record_id, o.key, o.message_id, o.attempts, o.failures,
        extract(epoch FROM now() - o.first_tried_at)::bigint, o.may_repeat, o.told_at IS NOT NULL, o.answers,
        o.pending_call, o.last_error, o.trace
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_take(text[], integer, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_take(text[], integer, interval) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_take.sql', '74da2113989c8791');
