-- The end of a move where the company leaves. Its functions are for the login that owns the schema (learntrack companies move).

-- Notes that the company is leaving, or goes on with a move that was stopped. Nothing changes for calls. `state` is that before.
CREATE OR REPLACE FUNCTION kernel.move_leave(own bigint, place text) RETURNS TABLE (move_id uuid, state text)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    company kernel.companies;
BEGIN
    PERFORM kernel.company_gates(true);
    SELECT * INTO company FROM kernel.companies AS c WHERE c.id = own FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no company %', own USING ERRCODE = 'no_data_found', HINT = 'learntrack companies list shows them.';
    ELSIF company.move = 'arriving' THEN
        RAISE EXCEPTION 'company % is arriving here', own
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Complete that move first, where the company comes from.';
    ELSIF company.move IS NOT NULL AND company.move_to <> place THEN
        RAISE EXCEPTION 'company % is moving to %', own, company.move_to
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Move it there, or let companies move --abandon undo that first.';
    ELSIF company.erasing_at IS NOT NULL THEN
        RAISE EXCEPTION 'the removal of company % has begun', own
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Complete it: learntrack companies erase.';
    ELSIF company.move IS NULL AND company.suspended_at IS NOT NULL THEN
        RAISE EXCEPTION 'company % is suspended', own
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Resume it first: learntrack companies resume.';
    END IF;
    state := company.move;
    -- Without a move it is that by which the company has come here.
    move_id := CASE WHEN state IS NULL THEN gen_random_uuid() ELSE company.move_id END;
    IF state IS NULL THEN
        UPDATE kernel.companies AS c SET move = 'leaving', move_to = place, move_id = move_leave.move_id, move_at = now()
        WHERE c.id = own;
    END IF;
    RETURN NEXT;
END
$$;

-- Closes the gate of the company, until the end of the transaction: writes that have begun are waited for, and further ones wait. A
-- table without a gate would be written on.
CREATE OR REPLACE FUNCTION kernel.move_close(own bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    open regclass[] := kernel.company_gated(false);
BEGIN
    IF cardinality(open) > 0 THEN
        RAISE EXCEPTION 'tables of companies have no gate: %', array_to_string(open, ', ')
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run the command again, which makes the gates.';
    END IF;
    PERFORM pg_advisory_xact_lock(20775, (own % 2147483647)::integer);
END
$$;

-- What the company is called, and whether an operator has suspended it: as it is to be where it arrives. kernel.move_depart suspends it
-- in the moment in which it moves.
CREATE OR REPLACE FUNCTION kernel.move_company(own bigint) RETURNS TABLE (name text, is_suspended boolean)
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT c.name::text, c.suspended_at IS NOT NULL AND c.suspended_at IS DISTINCT FROM c.move_at
    FROM kernel.companies AS c WHERE c.id = own
$$;

-- The company has moved: nobody writes here any more, and servers say where it is. Who is a member of another company here, too, goes on
-- there.
CREATE OR REPLACE FUNCTION kernel.move_depart(own bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE kernel.companies AS c SET move = 'moved', suspended_at = coalesce(c.suspended_at, now()), move_at = now()
    WHERE c.id = own AND c.move = 'leaving';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'company % is not leaving', own USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    UPDATE public.sign_ins AS s SET company_id = (
            SELECT min(u.company_id) FROM public.users AS u WHERE u.account_id = s.user_id AND u.company_id <> own AND u.is_member)
        WHERE s.company_id = own AND s.ended_at IS NULL
            AND EXISTS (SELECT FROM public.users AS u WHERE u.account_id = s.user_id AND u.company_id <> own AND u.is_member);
END
$$;

-- A company that has departed and has not arrived is served here again. To be called when it cannot arrive meanwhile.
CREATE OR REPLACE FUNCTION kernel.move_return(own bigint) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE kernel.companies AS c
    SET move = 'leaving', suspended_at = CASE WHEN m.is_suspended THEN c.suspended_at END, move_at = now()
    FROM kernel.move_company(own) AS m WHERE c.id = own AND c.move = 'moved'
$$;

-- Ends a move that is undone. Whether there was one.
CREATE OR REPLACE FUNCTION kernel.move_stay(own bigint) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE kernel.companies AS c
    SET move = NULL, move_to = NULL, move_id = NULL, move_at = NULL
    WHERE c.id = own AND c.move = 'leaving';
    RETURN FOUND;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.move_leave(bigint, text), kernel.move_close(bigint), kernel.move_company(bigint),
    kernel.move_depart(bigint), kernel.move_return(bigint), kernel.move_stay(bigint) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_depart.sql', '152ab8167e72d0a3');
