-- Makes the person a member whom a link invites, and ends the other links of the invitation; `hash` becomes the password of an account
-- that has none. Returns the company; null if the link is not valid, or not for this account. SECURITY DEFINER, since the role that
-- signs people in may not write members.
CREATE OR REPLACE FUNCTION kernel.join_company(account bigint, link bytea, lifetime interval, hash text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    invited public.users;
BEGIN
    SELECT u.* INTO invited FROM kernel.invitation_tokens AS i
    JOIN public.users AS u ON u.company_id = i.company_id AND u.id = i.user_id
    WHERE i.token_hash = link AND i.created_at > now() - lifetime AND u.account_id = join_company.account
        AND u.is_active AND u.joined_at IS NULL AND lower(u.email) = i.email
    FOR NO KEY UPDATE OF u;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF hash IS NOT NULL THEN
        INSERT INTO public.credentials (user_id, password_hash) VALUES (invited.account_id, hash)
        ON CONFLICT (user_id) DO NOTHING;
        -- It has got one meanwhile, which accepts the invitation from now on.
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    DELETE FROM kernel.invitation_tokens AS i WHERE i.company_id = invited.company_id AND i.user_id = invited.id;
    -- The journal and the feed are the company's.
    PERFORM set_config('learntrack.company', invited.company_id::text, true),
        set_config('learntrack.account', invited.id::text, true);
    UPDATE public.users AS u SET joined_at = now() WHERE u.company_id = invited.company_id AND u.id = invited.id;
    RETURN invited.company_id;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.join_company(bigint, bytea, interval, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.join_company(bigint, bytea, interval, text) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/join_company.sql', '0b3aad863d72a330');
