-- The member of the company that the current transaction is made for, a row of users; null outside of a call.
CREATE OR REPLACE FUNCTION kernel.account() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(pg_catalog.current_setting('learntrack.account', true), '')::bigint;

SELECT kernel.note_file('kernel', 'functions/account.sql', 'd7125e805802aff5');
