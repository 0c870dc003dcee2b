-- Keeps what the calls of this transaction have answered under an idempotency key, which kernel.once has found free.
-- Expired keys of the account are deleted a few at a time, so no write pays for many. They are found by their age and deleted
-- where they stand: a join of the table with itself would read all keys of the account in a session that had planned it while
-- the table was small. SECURITY DEFINER, since no role may write keys itself. Every role that may use the schema may execute it.
CREATE OR REPLACE FUNCTION kernel.keep_answers(
    of_account bigint, given_key text, given_method text, given_digest bytea)
    RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    given_answers jsonb := coalesce(nullif(current_setting('learntrack.answers', true), '')::jsonb, '[]');
BEGIN
    IF of_account IS DISTINCT FROM kernel.account() THEN
        RAISE EXCEPTION 'the key is of another account' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO kernel.idempotency AS kept (company_id, account_id, key, method, digest, answers)
    VALUES (kernel.company(), of_account, given_key, given_method, given_digest, given_answers)
    ON CONFLICT (company_id, account_id, key) DO UPDATE
        SET method = given_method, digest = given_digest, answers = given_answers, created_at = now();
    DELETE FROM kernel.idempotency AS expired
    WHERE expired.ctid = ANY (ARRAY(
        SELECT old.ctid FROM kernel.idempotency AS old
        WHERE old.company_id = kernel.company() AND old.account_id = of_account
            AND old.created_at <= now() - interval '24 hours'
        ORDER BY old.created_at LIMIT 5 FOR UPDATE SKIP LOCKED));
END
$$;

-- What the function of before relied on.
ALTER TABLE kernel.idempotency DROP CONSTRAINT IF EXISTS idempotency_pkey;

SELECT kernel.note_file('kernel', 'functions/keep_answers.sql', 'd25cc0b21745b060');
