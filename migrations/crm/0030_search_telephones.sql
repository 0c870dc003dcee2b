-- A search finds people and companies by their telephone numbers, too.
--
-- Safe from: 1.0.0
-- Locks: formateurs, clients, ecoles and prospects against everything, while their texts are computed anew: some seconds for
-- a hundred thousand of them

-- A telephone number as it is dialled in the whole world: `+33612345678`. The overseas departments have country codes of
-- their own; 06 39 98, inside Mayotte's range, is reserved for fiction and stays an ordinary number. Numbered, because the
-- searchable texts rest on it. PL/pgSQL without patterns, because it runs for each record that is written.
CREATE FUNCTION public.telephone_international(telephone text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    digits text := public.telephone_compose(telephone);
BEGIN
    IF left(digits, 2) = '00' THEN
        RETURN '+' || substr(digits, 3);
    ELSIF left(digits, 1) <> '0' THEN
        RETURN digits;
    END IF;
    RETURN CASE
        WHEN left(digits, 6) = '063998' THEN '+33'
        WHEN left(digits, 4) IN ('0262', '0263', '0269', '0639', '0692', '0693') THEN '+262'
        WHEN left(digits, 4) IN ('0590', '0690', '0691') THEN '+590'
        WHEN left(digits, 4) IN ('0594', '0694') THEN '+594'
        WHEN left(digits, 4) IN ('0596', '0696', '0697') THEN '+596'
        ELSE '+33'
    END || substr(digits, 2);
END
$$;

-- A telephone number as people write it in a search, after a space: `0612345678`, `06.12.34.56.78` and `+33612345678`.
-- Words of some digits are parts of these. Empty without a number.
CREATE FUNCTION public.telephone_recherche(telephone text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    international text := public.telephone_international(telephone);
    national text;
BEGIN
    IF international IS NULL THEN
        RETURN '';
    ELSIF left(international, 3) = '+33' THEN
        national := '0' || substr(international, 4);
    ELSIF left(international, 4) IN ('+262', '+590', '+594', '+596') THEN
        national := '0' || substr(international, 5);
    ELSE
        RETURN ' ' || international;
    END IF;
    RETURN ' ' || national || ' '
        || concat_ws(
            '.', substr(national, 1, 2), substr(national, 3, 2), substr(national, 5, 2), substr(national, 7, 2),
            substr(national, 9))
        || ' ' || international;
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
