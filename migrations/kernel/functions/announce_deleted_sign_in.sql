-- A sign-in that is deleted at psql ends. The servers keep the sign-ins in memory, so its id is announced to them. The
-- servers themselves delete sign-ins only long after their end.
CREATE OR REPLACE FUNCTION kernel.announce_deleted_sign_in() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_notify('auth_sign_in_ended', OLD.id::text);
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.announce_deleted_sign_in() FROM PUBLIC;

CREATE OR REPLACE TRIGGER sign_ins_deletion AFTER DELETE ON public.sign_ins
    FOR EACH ROW WHEN (OLD.ended_at IS NULL)
    EXECUTE FUNCTION kernel.announce_deleted_sign_in();

SELECT kernel.note_file('kernel', 'functions/announce_deleted_sign_in.sql', '3734bea989591b7b');
