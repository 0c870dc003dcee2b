-- The method companies.update: renames the company of the transaction, for an administrator of it. Returns its id. SECURITY DEFINER,
-- since no role writes companies.
CREATE OR REPLACE FUNCTION kernel.company_rename(name text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    place text;
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.users AS u
        WHERE u.company_id = kernel.company() AND u.id = kernel.account() AND u.role = 'admin' AND u.is_member)
    THEN
        RAISE EXCEPTION 'only an administrator renames the company' USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- A name that was given after the last round of a move had read it would be lost.
    PERFORM kernel.company_wait(kernel.company());
    SELECT c.move_to INTO place FROM kernel.companies AS c WHERE c.id = kernel.company() AND c.move = 'moved';
    IF FOUND THEN
        RAISE EXCEPTION 'company % has moved to %', kernel.company(), place
            USING ERRCODE = 'LT308', DETAIL = place, HINT = 'Write there.';
    END IF;
    UPDATE kernel.companies AS c SET name = company_rename.name WHERE c.id = kernel.company();
    RETURN kernel.company();
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_rename(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.company_rename(text) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/company_rename.sql', 'b610b8e7e9f3610a');
