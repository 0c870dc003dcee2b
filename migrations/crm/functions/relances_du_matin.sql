-- The job prospects.relances_du_matin: enters a mail for each active account that has something due today, from Monday to Friday.
-- What is due on a weekend is in the mail of the Monday. An account gets one mail a day, also if the job runs again.
CREATE OR REPLACE FUNCTION public.relances_du_matin() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    aujourdhui date := public.heure_locale()::date;
    compte bigint;
BEGIN
    IF extract(isodow FROM aujourdhui) > 5 THEN
        RETURN;
    END IF;
    FOR compte IN
        SELECT r.responsable_id FROM public.responsables_a_relancer(aujourdhui) AS r ORDER BY r.responsable_id
    LOOP
        INSERT INTO public.relances_courriels AS c (responsable_id, jour) VALUES (compte, aujourdhui)
        ON CONFLICT (company_id, responsable_id) DO UPDATE SET jour = excluded.jour, est_parti = false
            WHERE c.jour < excluded.jour;
        IF FOUND THEN
            PERFORM kernel.send('prospects.relances', compte);
        END IF;
    END LOOP;
END
$$;

SELECT kernel.worker_keep('crm', 'public.relances_du_matin()');

SELECT kernel.note_file('crm', 'functions/relances_du_matin.sql', '238b5c0e801cc31f');
