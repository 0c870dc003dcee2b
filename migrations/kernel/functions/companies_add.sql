-- A new company with its first administrator. The account of the address becomes a member; a new account has the password of this
-- hash, or without one a mail invites it, in the new company. Returns the company, and whether a mail was entered.
CREATE OR REPLACE FUNCTION kernel.companies_add(name text, admin text, hash text)
    RETURNS TABLE (company bigint, is_invited boolean)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    member public.users;
BEGIN
    IF NOT EXISTS (SELECT FROM kernel.installation WHERE closed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'several companies are not enabled' USING HINT = 'Run learntrack companies enable.';
    END IF;
    INSERT INTO kernel.companies AS c (name) VALUES (companies_add.name) RETURNING c.id INTO company;
    -- Triggers, defaults and the outbox ask for it.
    PERFORM set_config('learntrack.company', company::text, true);
    -- Members have the address of their account as it is.
    INSERT INTO public.users AS u (company_id, email, role)
    VALUES (company, coalesce((SELECT a.email FROM kernel.accounts AS a WHERE lower(a.email) = lower(admin)), admin), 'admin')
    RETURNING * INTO member;
    is_invited := false;
    IF NOT EXISTS (SELECT FROM public.credentials AS c WHERE c.user_id = member.account_id) THEN
        IF hash IS NULL THEN
            PERFORM kernel.invite(member.id);
            is_invited := true;
        ELSE
            INSERT INTO public.credentials (user_id, password_hash) VALUES (member.account_id, hash);
        END IF;
    END IF;
    RETURN NEXT;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.companies_add(text, text, text) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/companies_add.sql', '9cfc17ad9cb1f70e');
