-- The notice gardeners.welcome has left: answers has one element, with the id of the mail.
CREATE OR REPLACE FUNCTION probe.welcome_sent(gardener bigint, answers jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF answers #>> '{0,message_id}' IS NULL THEN
        RAISE EXCEPTION 'the answer has no message id';
    END IF;
    UPDATE probe.gardeners SET welcomed_at = now(), welcome_failure = NULL
    WHERE company_id = kernel.company() AND id = gardener;
END
$$;

SELECT kernel.worker_keep('probe', 'probe.welcome_sent(bigint, jsonb)');
