-- Makes the journal append-only, for its owner too. To shorten the journal, the owner disables this trigger. Only
-- kernel.erase_record and kernel.erase_account change entries: they take out what is personal. kernel.company_empty removes those of a
-- company that is removed. No other role than the owner has the right to update the journal, or to delete from it.
CREATE OR REPLACE FUNCTION kernel.journal_refuse() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('learntrack.erasing', true) = 'on'
        OR TG_OP = 'DELETE' AND current_setting('learntrack.erasing', true) = 'company'
    THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the journal is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE OR REPLACE TRIGGER journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON public.journal
    FOR EACH STATEMENT EXECUTE FUNCTION kernel.journal_refuse();
-- Only triggers insert entries; a statement of a client does not.
CREATE OR REPLACE TRIGGER journal_by_triggers_only BEFORE INSERT ON public.journal
    FOR EACH STATEMENT WHEN (pg_catalog.pg_trigger_depth() = 0) EXECUTE FUNCTION kernel.journal_refuse();

SELECT kernel.note_file('kernel', 'functions/journal_refuse.sql', 'd3143875476394f5');
