-- The files that a value of a jsonb column names by a member of its objects, and where: of an object '/photo', of a list of objects
-- '/2/photo', of a list of ids, with the member '', '/2'.
CREATE OR REPLACE FUNCTION kernel.files_in(given jsonb, member text) RETURNS TABLE (place text, file bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT concat('/' || (e.number - 1), '/' || nullif(member, '')), (v.value #>> '{}')::bigint
    FROM jsonb_array_elements(CASE jsonb_typeof(given) WHEN 'array' THEN given ELSE '[]' END)
            WITH ORDINALITY AS e (element, number)
        CROSS JOIN LATERAL (SELECT CASE member WHEN '' THEN e.element ELSE e.element -> member END) AS v (value)
    WHERE jsonb_typeof(v.value) = 'number'
    UNION ALL
    SELECT '/' || member, (given ->> member)::bigint
    WHERE jsonb_typeof(given) = 'object' AND jsonb_typeof(given -> member) = 'number';
END;

SELECT kernel.note_file('kernel', 'functions/files_in.sql', '9edad4cf34cdeb99');
