-- After a reminder was written: its prospect has the day of the next one. The lock comes first: of two transactions that
-- write reminders of one prospect, the second then sees those of the first.
CREATE OR REPLACE FUNCTION public.prospects_suivre_relances() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    company bigint := CASE TG_OP WHEN 'DELETE' THEN OLD.company_id ELSE NEW.company_id END;
    concernes bigint[] := CASE TG_OP
        WHEN 'INSERT' THEN ARRAY[NEW.prospect_id]
        WHEN 'DELETE' THEN ARRAY[OLD.prospect_id]
        ELSE ARRAY[NEW.prospect_id, OLD.prospect_id]
    END;
BEGIN
    PERFORM FROM public.prospects AS p WHERE p.company_id = company AND p.id = ANY (concernes)
    ORDER BY p.id FOR NO KEY UPDATE;
    UPDATE public.prospects AS p SET prochaine_relance = s.date
    FROM (
        SELECT
            c.id,
            (
                SELECT min(r.date) FROM public.relances AS r
                WHERE r.company_id = company AND r.prospect_id = c.id AND NOT r.faite
            ) AS date
        FROM (SELECT DISTINCT unnest(concernes) AS id) AS c
    ) AS s
    WHERE p.company_id = company AND p.id = s.id AND p.prochaine_relance IS DISTINCT FROM s.date;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION public.prospects_suivre_relances() FROM PUBLIC;

SELECT kernel.note_file('crm', 'functions/prospects_suivre_relances.sql', '66f0a73bded449a3');
