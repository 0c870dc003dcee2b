-- A derived field is a function of a row. Its body is SQL-standard (RETURN …): no search_path can change its meaning, and
-- Postgres puts it in the place of the call, so that a list pays for an expression and not for a function.

-- What a session leaves: null while its price is unknown; a cost that is unknown counts as none.
CREATE OR REPLACE FUNCTION public.marge(session public.sessions) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (session).tarif_client
        - coalesce((session).tarif_sous_traitant, 0)
        - coalesce((session).frais_rembourser, 0);

SELECT kernel.note_file('crm', 'functions/marge.sql', '3ccf7f115b26d1ad');
