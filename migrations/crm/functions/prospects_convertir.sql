-- prospects.convertir: the prospect becomes a new client, or joins the client of the id that is given. Once: of two calls at
-- once the second waits for the row, and then finds the client.
CREATE OR REPLACE FUNCTION public.prospects_convertir(prospect bigint, donnees jsonb, client bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ancien public.prospects;
    fiche public.clients;
BEGIN
    SELECT * INTO ancien FROM public.prospects AS p
    WHERE p.company_id = kernel.company() AND p.id = prospect FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF ancien.client_id IS NOT NULL THEN
        PERFORM kernel.refuse('prospects_converti', jsonb_build_object('client_id', ancien.client_id));
    END IF;
    IF ancien.etape = 'perdu' THEN
        PERFORM kernel.refuse(
            'prospects_etape_suivante',
            jsonb_build_object('etape', ancien.etape, 'suivantes', public.etapes_suivantes(ancien.etape, false)));
    END IF;
    IF client IS NULL THEN
        fiche := jsonb_populate_record(
            NULL::public.clients,
            jsonb_build_object(
                'raison_sociale', ancien.raison_sociale, 'nom_contact', ancien.nom_contact, 'email', ancien.email,
                'telephone', ancien.telephone, 'ville', ancien.ville)
            || coalesce(donnees, '{}'));
        INSERT INTO public.clients (
            raison_sociale, rue, code_postal, ville, nom_contact, email, telephone, siret, numero_tva)
        VALUES (
            fiche.raison_sociale, fiche.rue, fiche.code_postal, fiche.ville, fiche.nom_contact, fiche.email,
            fiche.telephone, fiche.siret, fiche.numero_tva)
        RETURNING id INTO client;
    ELSIF donnees IS NOT NULL THEN
        PERFORM kernel.refuse('prospects_convertir_un', path => '/client_id');
    END IF;
    -- The client must not be deleted before the end of the transaction.
    PERFORM FROM public.clients AS c WHERE c.company_id = kernel.company() AND c.id = client FOR KEY SHARE;
    IF NOT FOUND THEN
        PERFORM kernel.no_record(client, '/client_id');
    END IF;
    UPDATE public.prospects AS p SET client_id = client, etape = 'gagne', motif = NULL
    WHERE p.company_id = kernel.company() AND p.id = prospect;
    RETURN prospect;
END
$$;

SELECT kernel.command_keep(
    'crm', 'public.prospects_convertir(bigint, jsonb, bigint)', 'learntrack_user', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/prospects_convertir.sql', '758e0aa153b6758f');
