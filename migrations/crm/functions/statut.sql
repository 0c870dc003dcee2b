CREATE OR REPLACE FUNCTION public.statut(session public.sessions) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE
        WHEN public.heure_locale() < (session).date + (session).debut THEN 'a_venir'
        WHEN public.heure_locale() < (session).date + (session).fin THEN 'en_cours'
        ELSE 'terminee'
    END;

SELECT kernel.note_file('crm', 'functions/statut.sql', 'e86f1ca16d7edca9');
