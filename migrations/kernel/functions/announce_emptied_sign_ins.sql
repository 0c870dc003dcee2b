-- TRUNCATE fires no trigger of rows. Sign-ins that still run are announced before it, as deleted ones are; so they are when
-- TRUNCATE users CASCADE empties the table.
CREATE OR REPLACE FUNCTION kernel.announce_emptied_sign_ins() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_notify('auth_sign_in_ended', s.id::text) FROM public.sign_ins AS s WHERE s.ended_at IS NULL;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.announce_emptied_sign_ins() FROM PUBLIC;

CREATE OR REPLACE TRIGGER sign_ins_truncate BEFORE TRUNCATE ON public.sign_ins
    FOR EACH STATEMENT EXECUTE FUNCTION kernel.announce_emptied_sign_ins();

SELECT kernel.note_file('kernel', 'functions/announce_emptied_sign_ins.sql', '846118d90f7081ac');
