-- The account that the current transaction is made for; null outside of a call.
CREATE OR REPLACE FUNCTION kernel.account() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(pg_catalog.current_setting('learntrack.account', true), '')::bigint;

SELECT kernel.note_file('kernel', 'functions/account.sql', 'f6df799aa9f55863');
