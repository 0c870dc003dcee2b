-- Notes what the failure of an attempt concerns. kernel.outbox_note follows in the transaction and undoes it if another worker
-- has claimed the message since.
CREATE OR REPLACE FUNCTION kernel.outbox_cause(of_id bigint, cause text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE kernel.outbox AS o SET cause = $2 WHERE o.company_id = kernel.company() AND o.id = $1
$$;

REVOKE EXECUTE ON FUNCTION kernel.outbox_cause(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.outbox_cause(bigint, text) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/outbox_cause.sql', 'c6c338bfcd97c78a');
