-- A text as the words that tell one name from another: without accents, case, signs, legal forms and small words. A name of
-- nothing else keeps its words. `S.A.R.L.` is one word.
CREATE OR REPLACE FUNCTION public.nom_compare(nom text) RETURNS text
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
