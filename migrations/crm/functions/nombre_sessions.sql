-- It reads other rows, hence stays a call: one index scan.

CREATE OR REPLACE FUNCTION public.nombre_sessions(formateur public.formateurs) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT count(*) FROM public.sessions AS s WHERE s.formateur_id = (formateur).id);

CREATE OR REPLACE FUNCTION public.nombre_sessions(client public.clients) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT count(*) FROM public.sessions AS s WHERE s.client_id = (client).id);

CREATE OR REPLACE FUNCTION public.nombre_sessions(ecole public.ecoles) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT count(*) FROM public.sessions AS s WHERE s.ecole_id = (ecole).id);

CREATE OR REPLACE FUNCTION public.nombre_sessions(programme public.programmes) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT count(*) FROM public.sessions AS s WHERE s.programme_id = (programme).id);

SELECT kernel.note_file('crm', 'functions/nombre_sessions.sql', '2878ad051f2b8b85');
