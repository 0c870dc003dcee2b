-- The time on the wall clock of the place that the setting `learntrack.time_zone` names, Paris unless it is set.
CREATE OR REPLACE FUNCTION public.heure_locale() RETURNS timestamp
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN now() AT TIME ZONE coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'Europe/Paris');

SELECT kernel.note_file('crm', 'functions/heure_locale.sql', '77647d1ecf57afa2');
