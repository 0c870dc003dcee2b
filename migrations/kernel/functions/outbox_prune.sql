-- Removes messages that left, or were given up, before the retention, at_most of them, of all companies. Those that left stay
-- counted, by the day in the time zone of the service.
CREATE OR REPLACE FUNCTION kernel.outbox_prune(retention interval, at_most integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    -- One step of the index for each company with such messages.
    WITH RECURSIVE ended (company) AS (
        SELECT min(o.company_id) FROM kernel.outbox AS o WHERE o.sent_at IS NOT NULL OR o.gave_up_at IS NOT NULL
        UNION ALL
        SELECT (
            SELECT min(o.company_id) FROM kernel.outbox AS o
            WHERE o.company_id > e.company AND (o.sent_at IS NOT NULL OR o.gave_up_at IS NOT NULL))
        FROM ended AS e WHERE e.company IS NOT NULL
    ), removed AS (
        DELETE FROM kernel.outbox AS o USING (
            SELECT old.company_id, old.id FROM ended AS e CROSS JOIN LATERAL (
                SELECT o.company_id, o.id FROM kernel.outbox AS o
                WHERE o.company_id = e.company AND (o.sent_at IS NOT NULL OR o.gave_up_at IS NOT NULL)
                    AND coalesce(o.sent_at, o.gave_up_at) < now() - $1
                ORDER BY coalesce(o.sent_at, o.gave_up_at)
                LIMIT $2
                FOR UPDATE SKIP LOCKED
            ) AS old
            LIMIT $2
        ) AS old
        WHERE o.company_id = old.company_id AND o.id = old.id
        RETURNING o.company_id, o.sent_at
    ), counted AS (
        INSERT INTO kernel.usage AS u (company_id, day, messages)
        SELECT
            r.company_id,
            (r.sent_at AT TIME ZONE
                coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'Europe/Paris'))::date AS sent_on,
            count(*)
        FROM removed AS r WHERE r.sent_at IS NOT NULL
        GROUP BY r.company_id, sent_on
        ORDER BY r.company_id, sent_on
        ON CONFLICT (company_id, day) DO UPDATE SET messages = u.messages + excluded.messages
    )
    SELECT count(*)::integer FROM removed
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_prune(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_prune(interval, integer) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_prune.sql', '9ec7770d0c1f80d1');
