-- What names are compared by: the trigrams of their words. The extension's schema is looked up, because some services keep
-- extensions out of public.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it
DO $$
DECLARE
    schema text := (
        SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm'
    );
BEGIN
    EXECUTE format(
        'CREATE FUNCTION public.trigrammes(nom text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE '
        'RETURN %s.show_trgm(nom)', schema);
    EXECUTE format(
        'CREATE FUNCTION public.ressemblance(nom text, autre text) RETURNS real LANGUAGE sql IMMUTABLE PARALLEL SAFE '
        'RETURN %s.similarity(nom, autre)', schema);
END
$$;

-- A text as the words that tell one name from another: without accents, case, signs, legal forms and small words. A name of
-- such words alone keeps them. `S.A.R.L.` is one word.
CREATE FUNCTION public.nom_compare(nom text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT coalesce(
        nullif(string_agg(m.mot, ' ' ORDER BY m.mot COLLATE "C") FILTER (WHERE m.mot <> ALL (
            '{sarl,sarlu,sas,sasu,sa,eurl,ei,eirl,sci,scm,scp,snc,scop,scic,selarl,selas,gie,gip,association,asso,ste,'
            'societe,ets,etablissement,etablissements,cie,compagnie,groupe,gmbh,ag,ltd,llc,inc,bv,nv,srl,sprl,'
            'le,la,les,l,de,du,des,d,et,and,the,en,au,aux,a,monsieur,madame,m,mme,mr}'::text[])), ''),
        string_agg(m.mot, ' ' ORDER BY m.mot COLLATE "C"), '')
    FROM regexp_split_to_table(translate(kernel.without_accents(nom_compare.nom), '.', ''), '[^[:alnum:]]+') AS m (mot)
    WHERE m.mot <> '';
END;

REVOKE EXECUTE ON FUNCTION public.nom_compare(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.nom_compare(text) TO learntrack_user, learntrack_admin;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0011_names.sql') ON CONFLICT DO NOTHING;
