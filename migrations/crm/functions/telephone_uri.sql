-- From a telephone number of the shape that est_telephone takes to the link that dials it: `tel:+33612345678`.
CREATE OR REPLACE FUNCTION public.lien_telephone(telephone text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 'tel:' || public.telephone_international(telephone);

CREATE OR REPLACE FUNCTION public.telephone_uri(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((formateur).telephone);

CREATE OR REPLACE FUNCTION public.telephone_uri(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((client).telephone);

CREATE OR REPLACE FUNCTION public.telephone_uri(ecole public.ecoles) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((ecole).telephone);

CREATE OR REPLACE FUNCTION public.telephone_uri(prospect public.prospects) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((prospect).telephone);

SELECT kernel.note_file('crm', 'functions/telephone_uri.sql', 'e59e8dbd013db2d4');
