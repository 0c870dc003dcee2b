-- The header `traceparent` for what a message causes; NULL if the call that entered it came without one. As the version before calls
-- it, which may still serve.
CREATE OR REPLACE FUNCTION kernel.outbox_trace(of_id bigint) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT trace FROM kernel.outbox WHERE company_id = kernel.company() AND id = $1
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_trace(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_trace(bigint) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_trace.sql', '0050e1806782aa81');
