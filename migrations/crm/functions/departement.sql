-- The department of a French postal code: its first two digits, three overseas, `2A` or `2B` in Corsica; null for another code.
--
-- The codes of Corse-du-Sud begin with 200 and 201, those of Haute-Corse with 202 and 206.
CREATE OR REPLACE FUNCTION public.departement(code_postal text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN code_postal ~ '^9[78][0-9]{3}$' THEN left(code_postal, 3)
        WHEN code_postal ~ '^20[01][0-9]{2}$' THEN '2A'
        WHEN code_postal ~ '^20[0-9]{3}$' THEN '2B'
        WHEN code_postal ~ '^[0-9]{5}$' THEN left(code_postal, 2)
    END;

SELECT kernel.note_file('crm', 'functions/departement.sql', 'ab6c3c1cd8495095');
