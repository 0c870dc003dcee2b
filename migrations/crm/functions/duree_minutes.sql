CREATE OR REPLACE FUNCTION public.duree_minutes(session public.sessions) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN floor(extract(epoch FROM (session).fin - (session).debut) / 60)::integer;

SELECT kernel.note_file('crm', 'functions/duree_minutes.sql', '56af70cd1afe4686');
