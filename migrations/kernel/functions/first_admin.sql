-- The first administrator of a company that has no active one; null where there is one, however many ask at once. Who names no
-- company means the first one: a server asks on behalf of the installation, where nobody can sign in yet.
CREATE OR REPLACE FUNCTION kernel.first_admin(address text, name text, hash text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    company bigint := coalesce(kernel.company(), (SELECT min(c.id) FROM kernel.companies AS c));
    member public.users;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.admins', company));
    IF EXISTS (SELECT FROM public.users AS u WHERE u.company_id = company AND u.role = 'admin' AND u.is_member) THEN
        RETURN NULL;
    END IF;
    INSERT INTO public.users (company_id, email, username, role) VALUES (company, address, name, 'admin')
    RETURNING * INTO member;
    INSERT INTO public.credentials (user_id, password_hash) VALUES (member.account_id, hash);
    RETURN member.id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.first_admin(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.first_admin(text, text, text) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/first_admin.sql', '407f40c2bb42cf18');
