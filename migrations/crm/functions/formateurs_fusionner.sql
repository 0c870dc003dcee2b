-- formateurs.fusionner: the sessions of one record become another's, its values fill what is blank there, and it is deleted.
--
-- The two records are locked before their sessions, each in the order of ids, as a rename of one does it: merges that share
-- records wait for each other and never in a circle. While a record is locked, it gets no further session.
--
-- The id of the deleted record keeps answering with the one that stays; so do the ids that it had absorbed itself.
CREATE OR REPLACE FUNCTION public.formateurs_fusionner(garde bigint, absorbe bigint, donnees jsonb) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    gardee public.formateurs;
    absorbee public.formateurs;
    fusion public.formateurs;
BEGIN
    IF garde = absorbe THEN
        PERFORM kernel.refuse('formateurs_fusionner_deux', path => '/absorbe');
    END IF;
    PERFORM FROM public.formateurs AS t WHERE t.company_id = kernel.company() AND t.id IN (garde, absorbe)
    ORDER BY t.id FOR UPDATE;
    PERFORM FROM public.sessions AS s WHERE s.company_id = kernel.company() AND s.formateur_id IN (garde, absorbe)
    ORDER BY s.id FOR NO KEY UPDATE;
    SELECT * INTO gardee FROM public.formateurs AS t WHERE t.company_id = kernel.company() AND t.id = garde;
    SELECT * INTO absorbee FROM public.formateurs AS t WHERE t.company_id = kernel.company() AND t.id = absorbe;
    IF gardee.id IS NULL THEN
        PERFORM kernel.no_record(garde);
    ELSIF absorbee.id IS NULL THEN
        PERFORM kernel.no_record(absorbe);
    END IF;
    fusion := jsonb_populate_record(gardee, public.fusion(to_jsonb(gardee), to_jsonb(absorbee), donnees));
    UPDATE public.sessions AS s SET formateur_id = garde
    WHERE s.company_id = kernel.company() AND s.formateur_id = absorbe;
    -- Notes before the deletion, which would take those of the absorbed record with it. The record that stays may have an
    -- id that was absorbed once, if it was inserted again at psql.
    DELETE FROM public.formateurs_fusionnes AS n WHERE n.company_id = kernel.company() AND n.id = garde;
    UPDATE public.formateurs_fusionnes AS n SET fusionne_dans = garde
    WHERE n.company_id = kernel.company() AND n.fusionne_dans = absorbe;
    INSERT INTO public.formateurs_fusionnes (id, fusionne_dans) VALUES (absorbe, garde)
    ON CONFLICT ON CONSTRAINT formateurs_fusionnes_pkey DO UPDATE SET fusionne_dans = excluded.fusionne_dans;
    DELETE FROM public.formateurs AS t WHERE t.company_id = kernel.company() AND t.id = absorbe;
    UPDATE public.formateurs AS t
    SET (prenom, nom, email, telephone, specialite, taux_horaire, exterieur, societe, siret, nda, rue,
        code_postal, ville)
        = (fusion.prenom, fusion.nom, fusion.email, fusion.telephone, fusion.specialite, fusion.taux_horaire,
        fusion.exterieur, fusion.societe, fusion.siret, fusion.nda, fusion.rue, fusion.code_postal,
        fusion.ville)
    WHERE t.company_id = kernel.company() AND t.id = garde;
    RETURN garde;
END
$$;

SELECT kernel.command_keep('crm', 'public.formateurs_fusionner(bigint, bigint, jsonb)', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/formateurs_fusionner.sql', '41d7d39328dd04b2');
