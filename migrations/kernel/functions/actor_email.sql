-- The address of the account as it was then.
CREATE OR REPLACE FUNCTION public.actor_email(entry public.journal) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (entry).actor ->> 'email';

SELECT kernel.note_file('kernel', 'functions/actor_email.sql', '4e7f8b637fb41315');
