-- Ends a call among those of a transaction: keeps the text that it has left in learntrack.answered as its answer, in the
-- order of the calls, and returns it. A call that must match a record and did not is refused; the answers of the calls
-- before it are the detail.
CREATE OR REPLACE FUNCTION kernel.next_call(must_match boolean) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    answer text := nullif(current_setting('learntrack.answered', true), '');
    answers jsonb := coalesce(nullif(current_setting('learntrack.answers', true), '')::jsonb, '[]');
BEGIN
    IF must_match AND answer IS NULL THEN
        RAISE EXCEPTION 'the call matched no record'
            USING ERRCODE = '23000', CONSTRAINT = 'kernel_unmatched', DETAIL = answers::text;
    END IF;
    PERFORM set_config('learntrack.answers', (answers || jsonb_build_array(answer))::text, true),
        set_config('learntrack.answered', '', true);
    RETURN answer;
END
$$;

SELECT kernel.note_file('kernel', 'functions/next_call.sql', 'e89ba2e9b427c0e4');
