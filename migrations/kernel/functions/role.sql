-- The name of the role in which the current call is made; null outside of a call.
CREATE OR REPLACE FUNCTION kernel.role() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(pg_catalog.current_setting('learntrack.role', true), '');

SELECT kernel.note_file('kernel', 'functions/role.sql', 'b9e1efdbe3ae88fd');
