-- sessions.decaler: another date or other hours. With a new start alone the session keeps its length.
CREATE OR REPLACE FUNCTION public.sessions_decaler(
    session bigint, a_la_date date, a_debut time, a_fin time, if_version integer)
    RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ancienne public.sessions;
    nouvelle public.sessions;
BEGIN
    SELECT * INTO ancienne FROM public.sessions AS s
    WHERE s.company_id = kernel.company() AND s.id = session FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM kernel.check_version(ancienne.id, ancienne.version, if_version);
    nouvelle := ancienne;
    nouvelle.date := coalesce(a_la_date, ancienne.date);
    nouvelle.debut := coalesce(a_debut, ancienne.debut);
    nouvelle.fin := coalesce(a_fin, ancienne.fin);
    IF a_fin IS NULL THEN
        -- The sum of a time and an interval starts again at midnight.
        IF nouvelle.debut::interval + (ancienne.fin - ancienne.debut) >= '24 hours' THEN
            PERFORM kernel.refuse('sessions_decaler_minuit', path => '/debut');
        END IF;
        nouvelle.fin := nouvelle.debut + (ancienne.fin - ancienne.debut);
    END IF;
    IF nouvelle IS DISTINCT FROM ancienne THEN
        UPDATE public.sessions AS s SET date = nouvelle.date, debut = nouvelle.debut, fin = nouvelle.fin
        WHERE s.company_id = kernel.company() AND s.id = session;
    END IF;
    RETURN session;
END
$$;

SELECT kernel.command_keep(
    'crm', 'public.sessions_decaler(bigint, date, time, time, integer)', 'learntrack_user', 'learntrack_admin');

SELECT kernel.note_file('crm', 'functions/sessions_decaler.sql', 'c130338daf96d65c');
