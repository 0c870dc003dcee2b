-- Begins a write with an idempotency key, and refuses it if the key is in use: by a transaction that still runs, by other
-- params, or by the same params. The last refusal carries the answers of that write as its detail.
--
-- The lock lasts until the end of the transaction, so a write that finds it free sees the key of every earlier one.
-- SECURITY DEFINER, since no role may read the keys. Every role that may use the schema may execute it: domains bring roles
-- of their own. A key can be used for the account of the transaction only.
CREATE OR REPLACE FUNCTION kernel.once(of_account bigint, given_key text, given_method text, given_digest bytea)
    RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    earlier kernel.idempotency;
BEGIN
    IF of_account IS DISTINCT FROM kernel.account() THEN
        RAISE EXCEPTION 'the key is of another account' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended(kernel.company() || ' ' || given_key, of_account)) THEN
        RAISE EXCEPTION 'a write with this key is running'
            USING ERRCODE = '23000', CONSTRAINT = 'kernel_idempotency_running';
    END IF;
    SELECT * INTO earlier FROM kernel.idempotency AS kept
    WHERE kept.company_id = kernel.company() AND kept.account_id = of_account AND kept.key = given_key AND kept.created_at > now() - interval '24 hours';
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF earlier.method <> given_method OR earlier.digest <> given_digest THEN
        RAISE EXCEPTION 'the key belongs to a write with other params'
            USING ERRCODE = '23000', CONSTRAINT = 'kernel_idempotency_params';
    END IF;
    RAISE EXCEPTION 'the write with this key is done'
        USING ERRCODE = '23000', CONSTRAINT = 'kernel_idempotency_done', DETAIL = earlier.answers::text;
END
$$;

SELECT kernel.note_file('kernel', 'functions/once.sql', '58979b9daadb8108');
