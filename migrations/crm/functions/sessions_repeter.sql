-- sessions.repeter: copies of a session at other dates, in the order of the dates given. The server checks their number and
-- their form before; a call at psql has the same rules. A copy has no reference of a contract: a reference is that of one
-- session, and sessions.attribuer_reference gives the copy its own.
CREATE OR REPLACE FUNCTION public.sessions_repeter(session bigint, dates jsonb) RETURNS bigint[]
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    encore bigint;
    copies bigint[];
BEGIN
    IF jsonb_array_length(dates) NOT BETWEEN 1 AND 60 THEN
        PERFORM kernel.refuse('sessions_repeter_nombre', path => '/dates');
    END IF;
    SELECT min(rang) INTO encore FROM (
        -- 2031-1-1 is the same date as 2031-01-01.
        SELECT d.rang, row_number() OVER (PARTITION BY d.date::date ORDER BY d.rang) AS fois
        FROM jsonb_array_elements_text(dates) WITH ORDINALITY AS d (date, rang)
    ) AS comptees
    WHERE fois > 1;
    IF encore IS NOT NULL THEN
        PERFORM kernel.refuse('sessions_repeter_dates', path => '/dates/' || encore - 1);
    END IF;
    -- What is copied to one date must not differ from what is copied to another.
    PERFORM FROM public.sessions AS s WHERE s.company_id = kernel.company() AND s.id = session FOR SHARE;
    WITH creees AS (
        INSERT INTO public.sessions (
            module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser, ecole_id,
            client_id, formateur_id, programme_id, effectif)
        SELECT
            s.module, d.date::date, s.debut, s.fin, s.modalite, s.lieu, s.tarif_client, s.tarif_sous_traitant,
            s.frais_rembourser, s.ecole_id, s.client_id, s.formateur_id, s.programme_id, s.effectif
        FROM public.sessions AS s
        CROSS JOIN jsonb_array_elements_text(dates) WITH ORDINALITY AS d (date, rang)
        WHERE s.company_id = kernel.company() AND s.id = session
        ORDER BY d.rang
        RETURNING id, date
    )
    SELECT array_agg(c.id ORDER BY d.rang) INTO copies
    FROM creees AS c JOIN jsonb_array_elements_text(dates) WITH ORDINALITY AS d (date, rang) ON d.date::date = c.date;
    RETURN copies;
END
$$;

SELECT kernel.command_keep('crm', 'public.sessions_repeter(bigint, jsonb)', 'learntrack_user', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/sessions_repeter.sql', 'dd65ede6ed94bbee');
