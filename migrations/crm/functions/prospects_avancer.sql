-- prospects.avancer: another stage, with the reason, which a lost prospect must have. A trigger knows the ways. The row is
-- locked, so that the second of two calls at once starts from the stage that the first has set.
CREATE OR REPLACE FUNCTION public.prospects_avancer(prospect bigint, a_etape text, a_motif text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ancien public.prospects;
BEGIN
    SELECT * INTO ancien FROM public.prospects AS p
    WHERE p.company_id = kernel.company() AND p.id = prospect FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF ancien.etape = a_etape THEN
        PERFORM kernel.refuse(
            'prospects_etape_suivante',
            jsonb_build_object(
                'etape', ancien.etape,
                'suivantes', public.etapes_suivantes(ancien.etape, ancien.client_id IS NOT NULL)));
    END IF;
    IF a_etape = 'perdu' AND a_motif IS NULL THEN
        PERFORM kernel.refuse('prospects_motif', path => '/motif');
    END IF;
    UPDATE public.prospects AS p SET etape = a_etape, motif = a_motif
    WHERE p.company_id = kernel.company() AND p.id = prospect;
    RETURN prospect;
END
$$;

SELECT kernel.command_keep(
    'crm', 'public.prospects_avancer(bigint, text, text)', 'learntrack_user', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/prospects_avancer.sql', 'a6d7b2502424a7c7');
