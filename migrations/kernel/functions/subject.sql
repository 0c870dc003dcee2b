-- The identifier of the record that the caller stands for in its role; null for a role without a subject. Policies and
-- the statements of the server compare it with the column of a table that names the subject of a row. Postgres replaces a call
-- by the body, so that an index on the column serves the comparison.
CREATE OR REPLACE FUNCTION kernel.subject() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(pg_catalog.current_setting('learntrack.subject', true), '')::bigint;

SELECT kernel.note_file('kernel', 'functions/subject.sql', '1175e2bdaa287f78');
