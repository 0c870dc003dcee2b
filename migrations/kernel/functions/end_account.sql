-- Accounts are deactivated, not deleted. If one is deleted at psql, its sign-ins end.
CREATE OR REPLACE FUNCTION kernel.end_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE public.sign_ins SET ended_at = now() WHERE user_id = OLD.id AND ended_at IS NULL;
    RETURN OLD;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.end_account() FROM PUBLIC;

CREATE OR REPLACE TRIGGER users_end BEFORE DELETE ON public.users
    FOR EACH ROW EXECUTE FUNCTION kernel.end_account();

SELECT kernel.note_file('kernel', 'functions/end_account.sql', 'b6b2e1151b95af1a');
