-- Makes messages due that have failed or were given up, as if they had not been tried: they are repeated for as long as new ones
-- are. Returns the ids of those that it has changed: not of messages that have left, that a worker has, or that wait for their
-- time.
--
-- companies, ids  the messages: each with its company
CREATE OR REPLACE FUNCTION kernel.outbox_renew(companies bigint[], ids bigint[]) RETURNS bigint[]
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    WITH chosen AS MATERIALIZED (
        SELECT o.company_id, o.id FROM unnest($1, $2) AS asked (company_id, id)
        JOIN kernel.outbox AS o ON o.company_id = asked.company_id AND o.id = asked.id
        WHERE o.sent_at IS NULL AND o.attempts > 0
            AND (o.claimed_until IS NULL OR o.claimed_until <= now())
        ORDER BY o.company_id, o.id
        FOR NO KEY UPDATE OF o
    ), renewed AS (
        UPDATE kernel.outbox AS o
        SET not_before = now(), gave_up_at = NULL, failures = 0, first_tried_at = NULL, told_at = NULL,
            claimed_until = NULL, may_repeat = o.may_repeat OR o.departing, departing = false,
            -- What was to be told about the end is not true any more.
            pending_call = nullif(o.pending_call, 'failed')
        FROM chosen WHERE o.company_id = chosen.company_id AND o.id = chosen.id
        RETURNING o.id
    ), announced AS (
        SELECT pg_notify('outbox', 'retry') FROM renewed LIMIT 1
    )
    SELECT coalesce(array_agg(r.id ORDER BY r.id), '{}') FROM renewed AS r
    WHERE (SELECT count(*) FROM announced) >= 0
$$;

-- As versions before had it.
DROP FUNCTION IF EXISTS kernel.outbox_renew(bigint[]);

REVOKE EXECUTE ON FUNCTION kernel.outbox_renew(bigint[], bigint[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/outbox_renew.sql', 'c2429e78b9e24303');
