-- The messages that have not left, by what their last failure concerned: how many wait, how many were given up, and since how
-- many seconds the oldest that is due waits; for the metrics and `doctor`. `cause` is null for those that have not failed.
-- Messages of suspended companies are not to leave, and do not count as waiting.
CREATE OR REPLACE FUNCTION kernel.outbox_summary()
    RETURNS TABLE (cause text, waiting bigint, given_up bigint, seconds bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT o.cause, count(*) FILTER (WHERE o.gave_up_at IS NULL), count(o.gave_up_at),
        coalesce(extract(epoch FROM now() - min(coalesce(o.first_tried_at, o.not_before))
            FILTER (WHERE o.gave_up_at IS NULL AND (o.first_tried_at IS NOT NULL OR o.not_before <= now())))::bigint, 0)
    FROM (
        SELECT w.cause, w.gave_up_at, w.first_tried_at, w.not_before FROM kernel.outbox AS w
        WHERE w.sent_at IS NULL AND w.gave_up_at IS NULL
            AND NOT EXISTS (
                SELECT FROM kernel.companies AS c
                WHERE c.id = w.company_id AND c.suspended_at IS NOT NULL AND c.move IS DISTINCT FROM 'moved')
        UNION ALL
        SELECT g.cause, g.gave_up_at, g.first_tried_at, g.not_before FROM kernel.outbox AS g
        WHERE g.gave_up_at IS NOT NULL
    ) AS o
    GROUP BY o.cause
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_summary() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_summary() TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_summary.sql', '8b7fc1039c0de78f');
