-- The end of a move where the company arrives. Its functions are for the login that owns the schema (learntrack companies move).

-- Lets servers read the company that is about to arrive, or suspends it again: all of them know it when the first call comes that was
-- sent on from where it leaves. Nobody writes before it has arrived (kernel.company_gate), and no job runs for it. Does nothing for what
-- another move has made.
CREATE OR REPLACE FUNCTION kernel.move_open(own bigint, opens boolean, move_id uuid) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF opens THEN
        PERFORM kernel.company_gates(true);
    END IF;
    UPDATE kernel.companies AS c SET suspended_at = CASE WHEN NOT opens THEN coalesce(c.suspended_at, now()) END
    WHERE c.id = own AND c.move = 'arriving' AND c.move_id = move_open.move_id;
END
$$;

-- The company has arrived, as the last round has it, and by this name. The id of the move stays: a run that has not heard of the arrival
-- learns of it.
CREATE OR REPLACE FUNCTION kernel.move_arrive(own bigint, name text, is_suspended boolean) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM kernel.companies AS c WHERE lower(c.name) = lower(move_arrive.name) AND c.id <> own) THEN
        RAISE EXCEPTION 'another company is called % where this one moves to', move_arrive.name
            USING ERRCODE = 'unique_violation', HINT = 'Give one of them another name: learntrack companies rename.';
    END IF;
    UPDATE kernel.companies AS c
    SET name = move_arrive.name, move = NULL, move_at = NULL, suspended_at = CASE WHEN is_suspended THEN now() END
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

REVOKE EXECUTE ON FUNCTION kernel.move_open(bigint, boolean, uuid), kernel.move_arrive(bigint, text, boolean) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_arrive.sql', '683a7fc3ff98980c');
