-- Whether the trainer of a session has another one at an overlapping time that day. Sessions that touch do not overlap.
-- It reads other rows, hence stays a call: one index scan.
CREATE OR REPLACE FUNCTION public.en_conflit(session public.sessions) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN EXISTS (
        SELECT FROM public.sessions AS autre
        WHERE autre.company_id = (session).company_id AND autre.formateur_id = (session).formateur_id
            AND autre.date = (session).date AND autre.id <> (session).id
            AND autre.debut < (session).fin AND autre.fin > (session).debut
    );

SELECT kernel.note_file('crm', 'functions/en_conflit.sql', 'a0efb28e36be4d04');
