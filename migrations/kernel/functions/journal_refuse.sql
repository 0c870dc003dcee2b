-- Append-only, for the owner too: whoever must shorten the journal has to switch this trigger off, on purpose.
CREATE OR REPLACE FUNCTION kernel.journal_refuse() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION 'the journal is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE OR REPLACE TRIGGER journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON public.journal
    FOR EACH STATEMENT EXECUTE FUNCTION kernel.journal_refuse();
-- Entries come from triggers, never from a statement of somebody's.
CREATE OR REPLACE TRIGGER journal_by_triggers_only BEFORE INSERT ON public.journal
    FOR EACH STATEMENT WHEN (pg_catalog.pg_trigger_depth() = 0) EXECUTE FUNCTION kernel.journal_refuse();
