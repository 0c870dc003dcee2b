-- The notice gardeners.welcome has not left within a day, or will not leave.
CREATE OR REPLACE FUNCTION probe.welcome_failed(gardener bigint, failure jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE probe.gardeners SET welcome_failure = failure ->> 'error'
    WHERE company_id = kernel.company() AND id = gardener
$$;

SELECT kernel.worker_keep('probe', 'probe.welcome_failed(bigint, jsonb)');
