-- Counts how often a member was deactivated, at psql too: its access tokens say the count, and none from before is accepted again.
CREATE OR REPLACE FUNCTION kernel.count_deactivation() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    NEW.deactivations := OLD.deactivations + 1;
    RETURN NEW;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.count_deactivation() FROM PUBLIC;

CREATE OR REPLACE TRIGGER users_deactivation BEFORE UPDATE ON public.users
    FOR EACH ROW
    WHEN (OLD.is_active AND OLD.joined_at IS NOT NULL AND NOT (NEW.is_active AND NEW.joined_at IS NOT NULL))
    EXECUTE FUNCTION kernel.count_deactivation();

SELECT kernel.note_file('kernel', 'functions/count_deactivation.sql', 'f65d71e7d41a6339');
