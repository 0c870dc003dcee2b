-- Refuses a call: raises the violation of a rule that an entity or a command of the domain declares under this name.
--
--     PERFORM kernel.refuse('loans_copies', jsonb_build_object('left', 0));
--     PERFORM kernel.refuse('lines_known', path => '/lines/3/sku');
--
-- rule   the name of the rule, in the place of a constraint's. An undeclared name is an internal error of the service.
-- facts  for a rule that is a conflict or forbids: the further members of the error's data
-- path   for any other rule: the JSON Pointer to what is wrong, from the parameters of the command or the columns of the
--        table; NULL: at the last given column of the rule
CREATE OR REPLACE FUNCTION kernel.refuse(rule text, facts jsonb DEFAULT '{}', path text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the rule % is violated', rule
        USING ERRCODE = '23000', CONSTRAINT = rule, DETAIL = coalesce(facts, '{}')::text, HINT = coalesce(path, '');
END;
$$;

SELECT kernel.note_file('kernel', 'functions/refuse.sql', '441b97c464325e4d');
