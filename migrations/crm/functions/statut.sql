-- The time on the wall clock of the place that the setting `learntrack.time_zone` names, Paris unless it is set.
CREATE OR REPLACE FUNCTION public.heure_locale() RETURNS timestamp
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN now() AT TIME ZONE coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'Europe/Paris');

CREATE OR REPLACE FUNCTION public.statut(session public.sessions) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE
        WHEN public.heure_locale() < (session).date + (session).debut THEN 'a_venir'
        WHEN public.heure_locale() < (session).date + (session).fin THEN 'en_cours'
        ELSE 'terminee'
    END;
