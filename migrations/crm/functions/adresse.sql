-- The text on one line, without spaces around it; null if it is blank.
CREATE OR REPLACE FUNCTION public.sur_une_ligne(texte text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN nullif(btrim(regexp_replace(texte, E'[ \\t\\n\\v\\f\\r\u0085\u2028\u2029]+', ' ', 'g')), '');

CREATE OR REPLACE FUNCTION public.adresse_complete(rue text, code_postal text, ville text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(
        concat_ws(
            ', ',
            public.sur_une_ligne(rue),
            public.sur_une_ligne(concat_ws(' ', code_postal, ville))
        ),
        ''
    );

CREATE OR REPLACE FUNCTION public.adresse(formateur public.formateurs) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN public.adresse_complete((formateur).rue, (formateur).code_postal, (formateur).ville);

CREATE OR REPLACE FUNCTION public.adresse(client public.clients) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN public.adresse_complete((client).rue, (client).code_postal, (client).ville);

CREATE OR REPLACE FUNCTION public.adresse(ecole public.ecoles) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN public.adresse_complete((ecole).rue, (ecole).code_postal, (ecole).ville);

SELECT kernel.note_file('crm', 'functions/adresse.sql', '61a9a64d5e78c54b');
