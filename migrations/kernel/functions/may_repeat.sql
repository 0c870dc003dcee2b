-- Whether an attempt without an answer may have sent the message already that is being phrased; false outside of the secrets of
-- a notice.
CREATE OR REPLACE FUNCTION kernel.may_repeat() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(pg_catalog.current_setting('learntrack.may_repeat', true), '') = 'true';

SELECT kernel.note_file('kernel', 'functions/may_repeat.sql', '777e3f76ad22a4ae');
