-- The first letter or digit of a text, in upper case, its accent kept.
CREATE OR REPLACE FUNCTION public.premiere_lettre(texte text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN upper(substring(normalize(texte) COLLATE "und-x-icu" FROM '[[:alnum:]]'));

-- The first letters of the first two words of a name; `Dupont & Fils` gives `DF`, a single word one letter.
CREATE OR REPLACE FUNCTION public.initiales_du_nom(nom text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(public.premiere_lettre(nom), '') || coalesce(
        upper(substring(
            normalize(nom) COLLATE "und-x-icu" FROM '^[^[:alnum:]]*[[:alnum:]][^[:space:]]*[[:space:]]+[^[:alnum:]]*([[:alnum:]])'
        )),
        ''
    );

CREATE OR REPLACE FUNCTION public.initiales(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(public.premiere_lettre((formateur).prenom), '')
        || coalesce(public.premiere_lettre((formateur).nom), '');

CREATE OR REPLACE FUNCTION public.initiales(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.initiales_du_nom((client).raison_sociale);

CREATE OR REPLACE FUNCTION public.initiales(ecole public.ecoles) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.initiales_du_nom((ecole).nom);

SELECT kernel.note_file('crm', 'functions/initiales.sql', 'a8c75fa64db858e0');
