-- Refuses a call of a command because the record of this id does not exist, or may not be read by the caller: 404. The server
-- calls it before the function of the command, for the records that the call names. A function calls it for a record that is
-- gone since, or that the call names in another way. One that may return null has no need of it, unless several of its
-- parameters name records.
--
--     PERFORM kernel.no_record(absorbed);
--     PERFORM kernel.no_record(line.book, '/lines/3/book');
--
-- id     of the record. If its entity names successors of its records, the error says which record has taken its place
-- path   the JSON Pointer to where the call names it; NULL: at the first parameter with this id
CREATE OR REPLACE FUNCTION kernel.no_record(id bigint, path text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION 'the record % does not exist', id
        USING ERRCODE = '23000', CONSTRAINT = 'kernel_unmatched', HINT = coalesce(id::text, ''), COLUMN = coalesce(path, ''),
            DETAIL = coalesce(nullif(current_setting('learntrack.answers', true), ''), '[]');
END
$$;

SELECT kernel.note_file('kernel', 'functions/no_record.sql', 'cf3c56df43190b5e');
