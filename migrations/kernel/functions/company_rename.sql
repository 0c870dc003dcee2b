-- The method companies.update: renames the company of the transaction, for an administrator of it. Returns its id. SECURITY DEFINER,
-- since no role writes companies.
CREATE OR REPLACE FUNCTION kernel.company_rename(name text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.users AS u
        WHERE u.company_id = kernel.company() AND u.id = kernel.account() AND u.role = 'admin' AND u.is_member)
    THEN
        RAISE EXCEPTION 'only an administrator renames the company' USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE kernel.companies AS c SET name = company_rename.name WHERE c.id = kernel.company();
    RETURN kernel.company();
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_rename(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.company_rename(text) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/company_rename.sql', '60e884efa2013803');
