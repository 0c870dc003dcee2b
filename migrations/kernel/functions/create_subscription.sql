-- Creates a subscription in a role that the account holds at this moment. `outcome` is `created`, or what is wrong: `role`
-- (the account is not active or does not hold the role), `full` (it has a hundred).
--
-- The account's row is locked, so that a change of its roles or its deactivation waits, and then ends the subscription;
-- so that the count is right, subscriptions of one account are created one after the other. SECURITY DEFINER, since the
-- role that keeps secrets may not lock accounts.
CREATE OR REPLACE FUNCTION kernel.create_subscription(
    account bigint, acting text, held_for bigint, kind text, method text, params jsonb, label text, hash bytea,
    OUT outcome text, OUT id bigint
)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    owner public.users;
BEGIN
    SELECT * INTO owner FROM public.users AS u
    WHERE u.company_id = kernel.company() AND u.id = account FOR NO KEY UPDATE;
    IF NOT FOUND OR NOT owner.is_member OR owner.role IS DISTINCT FROM acting AND NOT EXISTS (
        SELECT FROM public.account_roles AS a
        WHERE a.company_id = owner.company_id AND a.account_id = account AND a.role = acting
            AND a.subject IS NOT DISTINCT FROM held_for)
    THEN
        outcome := 'role';
    ELSIF (
        SELECT count(*) FROM kernel.subscriptions AS s
        WHERE s.company_id = owner.company_id AND s.account_id = account) >= 100
    THEN
        outcome := 'full';
    ELSE
        INSERT INTO kernel.subscriptions AS s (
            company_id, account_id, role, subject, kind, method, params, name, secret_hash)
        VALUES (owner.company_id, account, acting, held_for, kind, method, params, label, hash)
        RETURNING s.id INTO id;
        outcome := 'created';
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION
    kernel.create_subscription(bigint, text, bigint, text, text, jsonb, text, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    kernel.create_subscription(bigint, text, bigint, text, text, jsonb, text, bytea) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/create_subscription.sql', '3e090208ab65e865');
