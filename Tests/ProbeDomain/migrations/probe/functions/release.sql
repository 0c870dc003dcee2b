-- The job gardeners.release.
CREATE OR REPLACE FUNCTION probe.release() RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE probe.gardeners SET is_suspended = false, suspended_until = NULL
    WHERE company_id = kernel.company() AND suspended_until <= now()
$$;

SELECT kernel.worker_keep('probe', 'probe.release()');
