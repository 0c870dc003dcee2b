-- Checks the constraints that are deferred to the end of the transaction, for a dry run, which has no such end.
CREATE OR REPLACE FUNCTION kernel.check_deferred() RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    SET CONSTRAINTS ALL IMMEDIATE;
END
$$;

SELECT kernel.note_file('kernel', 'functions/check_deferred.sql', 'b84de1ebe9036c35');
