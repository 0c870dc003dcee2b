-- The first administrator of a database that has no active one; null where there is one, however many ask at once.
CREATE OR REPLACE FUNCTION kernel.first_admin(address text, name text, hash text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    account bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.admins', 0));
    IF EXISTS (SELECT FROM public.users WHERE role = 'admin' AND is_active) THEN
        RETURN NULL;
    END IF;
    INSERT INTO public.users (email, username, role) VALUES (address, name, 'admin') RETURNING id INTO account;
    INSERT INTO public.credentials (user_id, password_hash) VALUES (account, hash);
    RETURN account;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.first_admin(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.first_admin(text, text, text) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/first_admin.sql', 'f78de301087f9c59');
