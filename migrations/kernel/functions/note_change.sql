-- The time and the count of a row's changes: what a trigger BEFORE UPDATE of each table calls. The server's database roles
-- may not name these columns in any write; a change made at psql counts like any other.
CREATE OR REPLACE FUNCTION kernel.note_change() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    NEW.created_at := OLD.created_at;
    NEW.updated_at := pg_catalog.now();
    NEW.version := OLD.version + 1;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER users_change BEFORE UPDATE ON public.users
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();

SELECT kernel.note_file('kernel', 'functions/note_change.sql', '4a07bff2e6bb2783');
