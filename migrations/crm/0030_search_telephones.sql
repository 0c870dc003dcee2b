-- A search finds people and companies by their telephone numbers, too.
--
-- Safe from: 1.0.0
-- Locks: formateurs, clients, ecoles and prospects against everything, while their texts are computed anew: some seconds for
-- a hundred thousand of them

-- A telephone number as it is dialled in the whole world: `+33612345678`. The overseas departments have country codes of
-- their own; 06 39 98, inside Mayotte's range, is reserved for fiction and stays an ordinary number. Numbered, because the
-- searchable texts rest on it.
CREATE FUNCTION public.telephone_international(telephone text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(public.telephone_compose(telephone), '^00', '+'),
                        '^0(262|263|269|639(?!98)|692|693)', '+262\1'
                    ),
                    '^0(590|690|691)', '+590\1'
                ),
                '^0(594|694)', '+594\1'
            ),
            '^0(596|696|697)', '+596\1'
        ),
        '^0', '+33'
    );

-- A telephone number as people write it in a search, after a space: `0612345678`, `06.12.34.56.78` and `+33612345678`.
-- Words of some digits are parts of these. Empty without a number.
CREATE FUNCTION public.telephone_recherche(telephone text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    international text := public.telephone_international(telephone);
    national text := regexp_replace(international, '^[+](33|262|590|594|596)', '0');
BEGIN
    RETURN coalesce(
        ' ' || concat_ws(
            ' ', national, CASE WHEN national LIKE '0%' THEN rtrim(regexp_replace(national, '([0-9]{2})', '\1.', 'g'), '.') END, international),
        '');
END
$$;

-- The text is computed by another expression: a new column, with the function and the index that search_keep makes.
DROP FUNCTION public.searchable(public.formateurs);
DROP FUNCTION public.searchable(public.clients);
DROP FUNCTION public.searchable(public.ecoles);
DROP FUNCTION public.searchable(public.prospects);
ALTER TABLE public.formateurs DROP COLUMN search_text;
ALTER TABLE public.clients DROP COLUMN search_text;
ALTER TABLE public.ecoles DROP COLUMN search_text;
ALTER TABLE public.prospects DROP COLUMN search_text;

SELECT kernel.search_keep(
    'public.formateurs',
    $$kernel.without_accents(
        prenom || ' ' || nom || ' ' || coalesce(specialite, '') || ' ' || coalesce(societe, '')
        || public.telephone_recherche(telephone))$$);
SELECT kernel.search_keep(
    kept,
    $$kernel.without_accents(
        raison_sociale || ' ' || coalesce(ville, '') || ' ' || coalesce(nom_contact, '')
        || public.telephone_recherche(telephone))$$)
FROM unnest(ARRAY['public.clients', 'public.prospects']::regclass[]) AS kept;
SELECT kernel.search_keep(
    'public.ecoles',
    $$kernel.without_accents(
        nom || ' ' || coalesce(ville, '') || ' ' || coalesce(nom_contact, '')
        || public.telephone_recherche(telephone))$$);

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0030_search_telephones.sql') ON CONFLICT DO NOTHING;
