-- It reads other rows, hence stays a call: one index scan.

CREATE OR REPLACE FUNCTION public.nombre_sessions(formateur public.formateurs) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT count(*) FROM public.sessions AS s
        WHERE s.company_id = (formateur).company_id AND s.formateur_id = (formateur).id
    );

CREATE OR REPLACE FUNCTION public.nombre_sessions(client public.clients) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT count(*) FROM public.sessions AS s
        WHERE s.company_id = (client).company_id AND s.client_id = (client).id
    );

CREATE OR REPLACE FUNCTION public.nombre_sessions(ecole public.ecoles) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT count(*) FROM public.sessions AS s
        WHERE s.company_id = (ecole).company_id AND s.ecole_id = (ecole).id
    );

CREATE OR REPLACE FUNCTION public.nombre_sessions(programme public.programmes) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT count(*) FROM public.sessions AS s
        WHERE s.company_id = (programme).company_id AND s.programme_id = (programme).id
    );

SELECT kernel.note_file('crm', 'functions/nombre_sessions.sql', '361ee8bc1f0a9a59');
