-- The end of a move where the company arrives. Its functions are for the login that owns the schema (learntrack companies move).

-- Lets servers read the company that is about to arrive, or suspends it again: all of them know it when the first call comes that was
-- sent on from where it leaves. Nobody writes before it has arrived (kernel.company_gate), and no job runs for it.
CREATE OR REPLACE FUNCTION kernel.move_open(own bigint, opens boolean) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM kernel.company_gates(true);
    UPDATE kernel.companies AS c SET suspended_at = CASE WHEN NOT opens THEN coalesce(c.suspended_at, now()) END
    WHERE c.id = own AND c.move = 'arriving';
END
$$;

-- The company has arrived, as the last round has it.
CREATE OR REPLACE FUNCTION kernel.move_arrive(own bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE kernel.companies AS c SET move = NULL, move_id = NULL, move_at = NULL, suspended_at = NULL
    WHERE c.id = own AND c.move = 'arriving';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'company % is not arriving', own USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    -- Servers look for keys that have changed of late.
    PERFORM set_config('learntrack.company', own::text, true), kernel.company_quiet();
    UPDATE public.access_keys AS k SET changed_at = now() WHERE k.company_id = own;
    PERFORM set_config('session_replication_role', 'origin', true);
    PERFORM pg_notify('auth_access_key_changed', k.id::text) FROM public.access_keys AS k WHERE k.company_id = own;
    PERFORM pg_notify('auth_account_changed', 'company ' || own);
    -- Positions of the change feed are those of another server: who follows it reads everything anew.
    INSERT INTO kernel.changes AS c (company_id, table_name, operation)
        SELECT own, r.relname, 'truncate' FROM pg_trigger AS t JOIN pg_class AS r ON r.oid = t.tgrelid
        WHERE t.tgname = 'kernel_feed' AND t.tgrelid IN (SELECT h.home FROM kernel.company_homes() AS h);
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.move_open(bigint, boolean), kernel.move_arrive(bigint) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_arrive.sql', '96d01fac544018c9');
