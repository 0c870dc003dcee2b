-- Notes the statements of a slow call for `learntrack explain`, or that they were slow again. The thousand that were noted
-- last are kept: clients choose the shape of their calls, so that the number of statements has no bound.
CREATE OR REPLACE FUNCTION kernel.note_slow_call(noted text, of_method text, in_role text, with_statements jsonb)
    RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO kernel.slow_calls (hash, method, role, statements) VALUES ($1, $2, $3, $4)
    ON CONFLICT (hash) DO UPDATE SET noted_at = now();
    DELETE FROM kernel.slow_calls
    WHERE hash IN (SELECT hash FROM kernel.slow_calls ORDER BY noted_at DESC, hash OFFSET 1000);
$$;

REVOKE EXECUTE ON FUNCTION kernel.note_slow_call(text, text, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.note_slow_call(text, text, text, jsonb) TO learntrack_worker;

SELECT kernel.note_file('kernel', 'functions/note_slow_call.sql', '64d39e01da3bde47');
