-- The department of a French postal code: its first two digits, three overseas; null for another code.
CREATE OR REPLACE FUNCTION public.departement(code_postal text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN code_postal ~ '^9[78][0-9]{3}$' THEN left(code_postal, 3)
        WHEN code_postal ~ '^[0-9]{5}$' THEN left(code_postal, 2)
    END;

SELECT kernel.note_file('crm', 'functions/departement.sql');
