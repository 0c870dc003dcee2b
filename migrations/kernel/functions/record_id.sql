-- The record that a document is about: the `id` that its method was given; null if the method takes none. signatures_record_id_idx
-- has the same expression.
CREATE OR REPLACE FUNCTION kernel.record_id(document kernel.signatures) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (document).params ->> 'id' ~ '^[0-9]{1,18}$' THEN ((document).params ->> 'id')::bigint END;

SELECT kernel.note_file('kernel', 'functions/record_id.sql', '73c579b0a9fc06a0');
