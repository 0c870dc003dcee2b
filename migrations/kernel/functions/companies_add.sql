-- A new company with its first administrator. With `invites` a mail invites the person, with or without an account, to join it.
-- Otherwise the account of the address is a member at once; a new one has the password of this hash. Returns the company, and whether
-- a mail was entered.
CREATE OR REPLACE FUNCTION kernel.companies_add(name text, admin text, hash text, invites boolean)
    RETURNS TABLE (company bigint, is_invited boolean)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    member public.users;
BEGIN
    IF NOT EXISTS (SELECT FROM kernel.installation WHERE closed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'several companies are not enabled' USING HINT = 'Run learntrack companies enable.';
    END IF;
    -- People could not tell two of one name apart. An administrator may give theirs such a name: a refusal would tell them of the other.
    PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.companies', 0));
    IF EXISTS (SELECT FROM kernel.companies AS c WHERE c.name COLLATE public.francais = companies_add.name) THEN
        RAISE EXCEPTION 'another company has this name' USING
            ERRCODE = 'unique_violation', SCHEMA = 'kernel', TABLE = 'companies', CONSTRAINT = 'companies_name_key';
    END IF;
    INSERT INTO kernel.companies AS c (name) VALUES (companies_add.name) RETURNING c.id INTO company;
    -- Triggers, defaults and the outbox ask for it.
    PERFORM set_config('learntrack.company', company::text, true);
    -- Members have the address of their account as it is.
    INSERT INTO public.users AS u (company_id, email, role, joined_at)
    VALUES (
        company, coalesce((SELECT a.email FROM kernel.accounts AS a WHERE lower(a.email) = lower(admin)), admin), 'admin',
        CASE WHEN NOT invites THEN now() END)
    RETURNING * INTO member;
    is_invited := invites;
    IF invites THEN
        PERFORM kernel.invite(member.id);
    ELSIF hash IS NOT NULL THEN
        INSERT INTO public.credentials (user_id, password_hash) VALUES (member.account_id, hash);
    END IF;
    RETURN NEXT;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.companies_add(text, text, text, boolean) FROM PUBLIC;

-- As versions before had it.
DROP FUNCTION IF EXISTS kernel.companies_add(text, text, text);

SELECT kernel.note_file('kernel', 'functions/companies_add.sql', '023e96cc7c2003a3');
