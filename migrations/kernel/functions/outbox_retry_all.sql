-- The command outbox.retry_all: the messages that have failed, or were given up, are sent again.
--
-- kind      only those of this notice
-- cause     only those whose last failure concerned this
-- given_up  true: only those that were given up; false: only those that are repeated anyway
CREATE OR REPLACE FUNCTION kernel.outbox_retry_all(kind text, cause text, given_up boolean) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object('count', cardinality(kernel.outbox_renew(
        array_agg(o.company_id), array_agg(o.id))))
    FROM kernel.outbox AS o
    WHERE o.company_id = kernel.company() AND o.sent_at IS NULL AND (o.gave_up_at IS NOT NULL OR o.cause IS NOT NULL)
        AND ($1 IS NULL OR o.kind = $1) AND ($2 IS NULL OR o.cause = $2)
        AND ($3 IS NULL OR (o.gave_up_at IS NOT NULL) = $3)
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_retry_all(text, text, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_retry_all(text, text, boolean) TO learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/outbox_retry_all.sql', 'c60abed3ac24a37a');
