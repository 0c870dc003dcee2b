-- Ends the sign-ins of an account when its password is changed or removed at psql. The server, as learntrack_auth, ends
-- them itself, because it can distinguish a new password from a new hash of the same password.
CREATE OR REPLACE FUNCTION kernel.end_sign_ins() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ended record;
BEGIN
    DELETE FROM public.password_resets WHERE user_id = OLD.user_id;
    FOR ended IN
        UPDATE public.sign_ins SET ended_at = now() WHERE user_id = OLD.user_id AND ended_at IS NULL RETURNING id
    LOOP
        PERFORM pg_notify('auth_sign_in_ended', ended.id::text);
    END LOOP;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.end_sign_ins() FROM PUBLIC;

CREATE OR REPLACE TRIGGER credentials_change AFTER UPDATE ON public.credentials
    FOR EACH ROW WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash AND current_user <> 'learntrack_auth')
    EXECUTE FUNCTION kernel.end_sign_ins();
CREATE OR REPLACE TRIGGER credentials_deletion AFTER DELETE ON public.credentials
    FOR EACH ROW WHEN (current_user <> 'learntrack_auth')
    EXECUTE FUNCTION kernel.end_sign_ins();

SELECT kernel.note_file('kernel', 'functions/end_sign_ins.sql', 'a67003cc605651d9');
