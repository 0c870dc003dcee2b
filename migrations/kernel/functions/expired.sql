-- Whether the links of a document have run out before all have signed it.
CREATE OR REPLACE FUNCTION kernel.expired(document kernel.signatures) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (document).status = 'waiting' AND (document).expires_at <= pg_catalog.now();

SELECT kernel.note_file('kernel', 'functions/expired.sql', '58a86b0ce077a730');
