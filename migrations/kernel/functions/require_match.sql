-- Refuses the transaction unless a command has answered records that its caller may read. The server calls it after the
-- function of the command, in the role of the caller; what the function wrote is undone.
CREATE OR REPLACE FUNCTION kernel.require_match(is_matched boolean) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF is_matched IS NOT TRUE THEN
        RAISE EXCEPTION 'the command matched no record that its caller may read'
            USING ERRCODE = '23000', CONSTRAINT = 'kernel_unmatched',
                DETAIL = coalesce(nullif(current_setting('learntrack.answers', true), ''), '[]');
    END IF;
END
$$;

SELECT kernel.note_file('kernel', 'functions/require_match.sql', '660fa11636484650');
