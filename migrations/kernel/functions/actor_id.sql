-- An account is looked for rarely, and among the newest entries first: no index.
CREATE OR REPLACE FUNCTION public.actor_id(entry public.journal) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((entry).actor ->> 'id')::bigint;

SELECT kernel.note_file('kernel', 'functions/actor_id.sql', '288d20f919fd21c9');
