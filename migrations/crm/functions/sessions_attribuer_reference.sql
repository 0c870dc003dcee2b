-- sessions.attribuer_reference: the next reference of the year of the session's date, CT-2026-014. A session that has a
-- reference keeps it.
--
-- The number is one above the highest that was given in the year or is written on a session. Calls wait for each other until they
-- commit, and a transaction that is undone gives its number back: the numbers have no gap. The number of a session that was
-- deleted, or whose reference was changed, is not given again.
--
-- One lock of the company for all years, before that of the session: transactions that give references of several years, or to
-- the same sessions, in different orders would otherwise wait for each other in a circle.
CREATE OR REPLACE FUNCTION public.sessions_attribuer_reference(session bigint, if_version integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ancienne public.sessions;
    cette_annee integer;
    ecrit integer;
    numero integer;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(concat('public.sessions.ref_contrat ', kernel.company()), 0));
    -- A statement of its own, as those below: it sees what was committed while the lock was waited for.
    SELECT * INTO ancienne FROM public.sessions AS s
    WHERE s.company_id = kernel.company() AND s.id = session FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM kernel.check_version(ancienne.id, ancienne.version, if_version);
    IF kernel.is_visible(ancienne.ref_contrat) THEN
        RETURN session;
    END IF;
    cette_annee := extract(year FROM ancienne.date);
    SELECT (public.numero_de_reference(s.ref_contrat))[2] INTO ecrit FROM public.sessions AS s
    WHERE s.company_id = kernel.company()
        AND public.numero_de_reference(s.ref_contrat) BETWEEN ARRAY[cette_annee, 0] AND ARRAY[cette_annee, 999999999]
    ORDER BY public.numero_de_reference(s.ref_contrat) DESC LIMIT 1;
    INSERT INTO public.references_contrat AS r (annee, dernier) VALUES (cette_annee, coalesce(ecrit, 0) + 1)
    ON CONFLICT (company_id, annee) DO UPDATE SET dernier = greatest(r.dernier + 1, excluded.dernier)
    RETURNING r.dernier INTO numero;
    UPDATE public.sessions AS s
    SET ref_contrat = format(
        'CT-%s-%s', lpad(cette_annee::text, 4, '0'), lpad(numero::text, greatest(3, length(numero::text)), '0'))
    WHERE s.company_id = kernel.company() AND s.id = session;
    RETURN session;
END
$$;

SELECT kernel.command_keep(
    'crm', 'public.sessions_attribuer_reference(bigint, integer)', 'learntrack_user', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/sessions_attribuer_reference.sql', 'adcfbe56dac6f285');
