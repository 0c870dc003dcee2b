-- The notice gardeners.ping has left: the answer of its receiver.
CREATE OR REPLACE FUNCTION probe.ping_sent(gardener bigint, answers jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE probe.gardeners SET hook_answer = answers #>> '{0,body,id}'
    WHERE company_id = kernel.company() AND id = gardener
$$;

SELECT kernel.worker_keep('probe', 'probe.ping_sent(bigint, jsonb)');
