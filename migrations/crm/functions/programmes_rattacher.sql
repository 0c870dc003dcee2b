-- programmes.rattacher: sessions without a programme get the one with the title of their module, as new sessions do. With
-- `programme` only those whose module is its title.
--
-- The sessions are locked in the order of ids, as renames and merges do it. A call changes as many as it can within its time.
CREATE OR REPLACE FUNCTION public.programmes_rattacher(programme bigint) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    limite CONSTANT integer := 5000;
    rattachees integer;
    trouvees bigint[];
BEGIN
    SELECT array_agg(candidates.id) INTO trouvees FROM (
        SELECT s.id FROM public.sessions AS s
        JOIN public.programmes AS p
            ON p.company_id = kernel.company()
            AND public.intitule_compare(p.intitule) = public.intitule_compare(s.module)
        WHERE s.company_id = kernel.company() AND s.programme_id IS NULL AND (programme IS NULL OR p.id = programme)
        ORDER BY s.id LIMIT limite + 1
    ) AS candidates;
    PERFORM FROM public.sessions AS s WHERE s.company_id = kernel.company() AND s.id = ANY (trouvees[:limite])
    ORDER BY s.id FOR NO KEY UPDATE;
    -- A session that was changed while its lock was waited for is judged anew.
    UPDATE public.sessions AS s SET programme_id = p.id
    FROM public.programmes AS p
    WHERE s.company_id = kernel.company() AND s.id = ANY (trouvees[:limite]) AND s.programme_id IS NULL
        AND p.company_id = kernel.company() AND (programme IS NULL OR p.id = programme)
        AND public.intitule_compare(p.intitule) = public.intitule_compare(s.module);
    GET DIAGNOSTICS rattachees = ROW_COUNT;
    RETURN jsonb_build_object('rattachees', rattachees, 'reste', coalesce(cardinality(trouvees) > limite, false));
END
$$;

SELECT kernel.command_keep('crm', 'public.programmes_rattacher(bigint)', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/programmes_rattacher.sql', 'e66840236ec17b7b');
