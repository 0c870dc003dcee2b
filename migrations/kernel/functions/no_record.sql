-- Refuses a command because the record of this id, of the entity that the command answers, does not exist: 404. If the entity
-- names successors of its records, the error says which record has taken its place. A function that may return null has no
-- need of it, unless several of its parameters name records.
CREATE OR REPLACE FUNCTION kernel.no_record(id bigint) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION 'the record % does not exist', id
        USING ERRCODE = '23000', CONSTRAINT = 'kernel_unmatched', HINT = id::text,
            DETAIL = coalesce(nullif(current_setting('learntrack.answers', true), ''), '[]');
END
$$;
