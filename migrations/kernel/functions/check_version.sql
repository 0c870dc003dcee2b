-- Refuses a command if its caller expects another version of a record. The function of a command with the parameter
-- `if_version` calls it after it has locked the row. The call is answered like an update: 409 with the reason `version` and
-- the present record. The server calls it itself before an update or a deletion that follows other calls of a transaction.
--
--     PERFORM kernel.check_version(book.id, book.version, if_version);
--
-- expected   the version that the caller gave; NULL: any
CREATE OR REPLACE FUNCTION kernel.check_version(id bigint, present integer, expected integer) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF present <> expected THEN
        RAISE EXCEPTION 'the record has another version'
            USING ERRCODE = '23000', CONSTRAINT = 'kernel_version',
                DETAIL = jsonb_build_object('id', id, 'version', present, 'expected', expected)::text;
    END IF;
END
$$;

SELECT kernel.note_file('kernel', 'functions/check_version.sql', '6b9ea6dfb02db8b0');
