-- An account is given roles that exist, each with a subject that exists where the role has one. The errors have the names
-- that constraints of the columns would have. SECURITY DEFINER, since administrators of accounts need not read subjects.
CREATE OR REPLACE FUNCTION kernel.check_account_role() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    subjects text;
    found_rows integer;
BEGIN
    SELECT r.subject_table INTO subjects FROM kernel.roles AS r WHERE r.name = NEW.role;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no role of this name' USING
            ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'account_roles',
            CONSTRAINT = 'account_roles_role_check';
    ELSIF subjects IS NULL AND NEW.subject IS NOT NULL THEN
        RAISE EXCEPTION 'the role has no subject' USING
            ERRCODE = 'check_violation', SCHEMA = 'public', TABLE = 'account_roles',
            CONSTRAINT = 'account_roles_without_subject';
    ELSIF subjects IS NOT NULL AND NEW.subject IS NULL THEN
        RAISE EXCEPTION 'the role needs a subject' USING
            ERRCODE = 'not_null_violation', SCHEMA = 'public', TABLE = 'account_roles', COLUMN = 'subject';
    ELSIF subjects IS NOT NULL THEN
        -- The lock that a foreign key takes: the subject cannot be deleted meanwhile.
        EXECUTE format(
            'SELECT FROM %s AS t WHERE t.id = $1%s FOR KEY SHARE', subjects,
            replace(kernel.of_company(subjects::regclass), 'kernel.company()', '$2'))
            USING NEW.subject, NEW.company_id;
        GET DIAGNOSTICS found_rows = ROW_COUNT;
        IF found_rows = 0 THEN
            RAISE EXCEPTION 'there is no subject with this id' USING
                ERRCODE = 'foreign_key_violation', SCHEMA = 'public', TABLE = 'account_roles',
                CONSTRAINT = 'account_roles_subject_fkey';
        END IF;
    END IF;
    RETURN NEW;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.check_account_role() FROM PUBLIC;

CREATE OR REPLACE TRIGGER account_roles_check BEFORE INSERT OR UPDATE ON public.account_roles
    FOR EACH ROW EXECUTE FUNCTION kernel.check_account_role();

SELECT kernel.note_file('kernel', 'functions/check_account_role.sql', '9cad2cb514c879db');
