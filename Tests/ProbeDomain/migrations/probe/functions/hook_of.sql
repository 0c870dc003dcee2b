-- A secret of the notice gardeners.ping: where the gardener's own program is. No role of an account may read it.
CREATE OR REPLACE FUNCTION probe.hook_of(gardener bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT url FROM probe.hooks WHERE company_id = kernel.company() AND gardener_id = gardener
$$;

SELECT kernel.worker_keep('probe', 'probe.hook_of(bigint)');
