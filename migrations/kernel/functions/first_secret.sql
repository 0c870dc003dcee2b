-- The first secret of an account, in the transaction that makes the account: a new account and its password are
-- committed together or not at all, although the role that makes accounts may neither read nor write secrets. The call is
-- refused for an account of another transaction and for one that has a secret.
CREATE OR REPLACE FUNCTION kernel.first_secret(account bigint, hash text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- A person whose password somebody else knows could be entered in another company.
    IF (SELECT count(*) FROM kernel.companies) > 1 THEN
        RAISE EXCEPTION 'the person chooses the password' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO public.credentials (user_id, password_hash)
    SELECT a.id, hash FROM public.users AS u JOIN kernel.accounts AS a ON a.id = u.account_id
    WHERE u.company_id = kernel.company() AND u.id = account AND a.xmin = pg_current_xact_id()::xid
        -- Otherwise the person chooses it.
        AND u.joined_at IS NOT NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'not an account of this transaction' USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.first_secret(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.first_secret(bigint, text) TO learntrack_admin;

SELECT kernel.note_file('kernel', 'functions/first_secret.sql', 'ea76d9b8f29bb2be');
