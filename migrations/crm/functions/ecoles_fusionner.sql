-- ecoles.fusionner: the sessions of one record become another's, its values fill what is blank there, and it is deleted.
--
-- The two records are locked before their sessions, each in the order of ids, as a rename of one does it: merges that share
-- records wait for each other and never in a circle. While a record is locked, it gets no further session.
--
-- The id of the deleted record keeps answering with the one that stays; so do the ids that it had absorbed itself.
CREATE OR REPLACE FUNCTION public.ecoles_fusionner(garde bigint, absorbe bigint, donnees jsonb) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    gardee public.ecoles;
    absorbee public.ecoles;
    fusion public.ecoles;
BEGIN
    IF garde = absorbe THEN
        PERFORM kernel.refuse('ecoles_fusionner_deux', path => '/absorbe');
    END IF;
    PERFORM FROM public.ecoles AS t WHERE t.company_id = kernel.company() AND t.id IN (garde, absorbe)
    ORDER BY t.id FOR UPDATE;
    PERFORM FROM public.sessions AS s WHERE s.company_id = kernel.company() AND s.ecole_id IN (garde, absorbe)
    ORDER BY s.id FOR NO KEY UPDATE;
    SELECT * INTO gardee FROM public.ecoles AS t WHERE t.company_id = kernel.company() AND t.id = garde;
    SELECT * INTO absorbee FROM public.ecoles AS t WHERE t.company_id = kernel.company() AND t.id = absorbe;
    IF gardee.id IS NULL THEN
        PERFORM kernel.no_record(garde);
    ELSIF absorbee.id IS NULL THEN
        PERFORM kernel.no_record(absorbe);
    END IF;
    fusion := jsonb_populate_record(gardee, public.fusion(to_jsonb(gardee), to_jsonb(absorbee), donnees));
    UPDATE public.sessions AS s SET ecole_id = garde
    WHERE s.company_id = kernel.company() AND s.ecole_id = absorbe;
    -- Notes before the deletion, which would take those of the absorbed record with it. The record that stays may have an
    -- id that was absorbed once, if it was inserted again at psql.
    DELETE FROM public.ecoles_fusionnes AS n WHERE n.company_id = kernel.company() AND n.id = garde;
    UPDATE public.ecoles_fusionnes AS n SET fusionne_dans = garde
    WHERE n.company_id = kernel.company() AND n.fusionne_dans = absorbe;
    INSERT INTO public.ecoles_fusionnes (id, fusionne_dans) VALUES (absorbe, garde)
    ON CONFLICT ON CONSTRAINT ecoles_fusionnes_pkey DO UPDATE SET fusionne_dans = excluded.fusionne_dans;
    DELETE FROM public.ecoles AS t WHERE t.company_id = kernel.company() AND t.id = absorbe;
    UPDATE public.ecoles AS t
    SET (nom, rue, code_postal, ville, nom_contact, email, telephone)
        = (fusion.nom, fusion.rue, fusion.code_postal, fusion.ville, fusion.nom_contact, fusion.email,
        fusion.telephone)
    WHERE t.company_id = kernel.company() AND t.id = garde;
    RETURN garde;
END
$$;

SELECT kernel.command_keep('crm', 'public.ecoles_fusionner(bigint, bigint, jsonb)', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/ecoles_fusionner.sql', '37dd350fd9af6d50');
