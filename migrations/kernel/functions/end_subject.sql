-- The roles that were held for a deleted record end; with TRUNCATE of the table, those of all its records. SECURITY DEFINER, since
-- who may delete the record need not administer accounts.
CREATE OR REPLACE FUNCTION kernel.end_subject() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM public.account_roles AS a USING kernel.roles AS r
    WHERE (TG_OP = 'TRUNCATE' OR a.subject = OLD.id
            -- The table may belong to no company.
            AND a.company_id = coalesce((to_jsonb(OLD) ->> 'company_id')::bigint, a.company_id)) AND r.name = a.role
        AND r.subject_table = TG_RELID::regclass::text;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.end_subject() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/end_subject.sql', 'ee60769b5416ec4d');
