-- A session's status changes with the clock, so that no index can hold it; but each status leaves a stretch of dates,
-- which an index does hold. A filter by status asks for both.

-- Whether a session of this date can have one of these statuses now.
CREATE OR REPLACE FUNCTION public.statut_possible(session public.sessions, statuts text[]) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (session).date
        <= CASE WHEN 'a_venir' = ANY (statuts) THEN date 'infinity' ELSE public.heure_locale()::date END
        AND (session).date
        >= CASE WHEN 'terminee' = ANY (statuts) THEN date '-infinity' ELSE public.heure_locale()::date END;

SELECT kernel.note_file('crm', 'functions/statut_possible.sql', '5296b4b2064e4b32');
