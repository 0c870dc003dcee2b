-- A day without words keeps no prospect from being deleted, as it did not before it was a reminder.
CREATE OR REPLACE FUNCTION public.prospects_sans_relances() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM public.relances AS r
    WHERE r.company_id = OLD.company_id AND r.prospect_id = OLD.id AND NOT r.faite AND r.note IS NULL;
    RETURN OLD;
END
$$;

REVOKE EXECUTE ON FUNCTION public.prospects_sans_relances() FROM PUBLIC;

SELECT kernel.note_file('crm', 'functions/prospects_sans_relances.sql', 'c12d594ac3cc7553');
