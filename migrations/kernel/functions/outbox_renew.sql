-- Makes messages due that have failed or were given up, as if they had not been tried: they are repeated for as long as new ones
-- are. Returns the ids of those that it has changed: not of messages that have left, that a worker has, or that wait for their
-- time.
CREATE OR REPLACE FUNCTION kernel.outbox_renew(ids bigint[]) RETURNS bigint[]
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    WITH chosen AS MATERIALIZED (
        SELECT o.id FROM kernel.outbox AS o
        WHERE o.id = ANY ($1) AND o.sent_at IS NULL AND o.attempts > 0
            AND (o.claimed_until IS NULL OR o.claimed_until <= now())
        ORDER BY o.id
        FOR NO KEY UPDATE
    ), renewed AS (
        UPDATE kernel.outbox AS o
        SET not_before = now(), gave_up_at = NULL, failures = 0, first_tried_at = NULL, told_at = NULL,
            claimed_until = NULL, may_repeat = o.may_repeat OR o.departing, departing = false,
            -- What was to be told about the end is not true any more.
            pending_call = nullif(o.pending_call, 'failed')
        FROM chosen WHERE o.id = chosen.id
        RETURNING o.id
    ), announced AS (
        SELECT pg_notify('outbox', 'retry') FROM renewed LIMIT 1
    )
    SELECT coalesce(array_agg(r.id ORDER BY r.id), '{}') FROM renewed AS r
    WHERE (SELECT count(*) FROM announced) >= 0
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_renew(bigint[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/outbox_renew.sql', '3945c0d39fc9c87d');
