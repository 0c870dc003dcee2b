-- Adds a passkey to an account. `outcome` is `created`, or what is wrong: `account` (it is not active), `challenge` (it has
-- served before), `full` (the account has twenty), `known` (an account has this passkey already).
--
-- The account's row is locked, so that its erasure waits; so that the count is right, passkeys of one account are
-- added one after the other. SECURITY DEFINER, since the role that keeps secrets may not lock accounts.
-- The default is for servers before 0201, which have a parameter less; the function of theirs would make their calls ambiguous.
DROP FUNCTION IF EXISTS kernel.add_passkey(bigint, text, bytea, bytea, bigint, text, bytea, timestamptz);
CREATE OR REPLACE FUNCTION kernel.add_passkey(
    account bigint, label text, credential bytea, key bytea, signatures bigint, reached_by text,
    challenge bytea, challenge_end timestamptz, backed_up boolean DEFAULT NULL,
    OUT outcome text, OUT created kernel.passkeys
)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM kernel.accounts AS a WHERE a.id = account FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM public.users AS u WHERE u.account_id = account AND u.is_member) THEN
        outcome := 'account';
        RETURN;
    END IF;
    -- Not as soon as they end: the clock of a server that recognises challenges may be behind.
    DELETE FROM kernel.passkey_challenges AS c WHERE c.expires_at < now() - interval '1 hour';
    INSERT INTO kernel.passkey_challenges (nonce, expires_at) VALUES (challenge, challenge_end) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        outcome := 'challenge';
    ELSIF (SELECT count(*) FROM kernel.passkeys AS p WHERE p.account_id = account) >= 20 THEN
        outcome := 'full';
    ELSE
        INSERT INTO kernel.passkeys (account_id, name, credential_id, public_key, sign_count, transports, may_be_backed_up)
        VALUES (account, label, credential, key, signatures, reached_by, backed_up)
        ON CONFLICT DO NOTHING RETURNING * INTO created;
        outcome := CASE WHEN created.id IS NULL THEN 'known' ELSE 'created' END;
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION
    kernel.add_passkey(bigint, text, bytea, bytea, bigint, text, bytea, timestamptz, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    kernel.add_passkey(bigint, text, bytea, bytea, bigint, text, bytea, timestamptz, boolean) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/add_passkey.sql', '6b8995184dccca7e');
