-- What the database writes into rows by itself: the time and the count of their changes, and the place of a
-- distance session. The server's database roles may not name the former in any write (0010_rights.sql); a change made
-- at psql counts like any other.

CREATE FUNCTION public.note_changement() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    NEW.created_at := OLD.created_at;
    NEW.updated_at := pg_catalog.now();
    NEW.version := OLD.version + 1;
    RETURN NEW;
END
$$;

CREATE TRIGGER formateurs_changement BEFORE UPDATE ON public.formateurs
    FOR EACH ROW EXECUTE FUNCTION public.note_changement();
CREATE TRIGGER clients_changement BEFORE UPDATE ON public.clients
    FOR EACH ROW EXECUTE FUNCTION public.note_changement();
CREATE TRIGGER ecoles_changement BEFORE UPDATE ON public.ecoles
    FOR EACH ROW EXECUTE FUNCTION public.note_changement();
CREATE TRIGGER sessions_changement BEFORE UPDATE ON public.sessions
    FOR EACH ROW EXECUTE FUNCTION public.note_changement();
CREATE TRIGGER users_changement BEFORE UPDATE ON public.users
    FOR EACH ROW EXECUTE FUNCTION public.note_changement();

CREATE FUNCTION public.lieu_a_distance() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    NEW.lieu := E'\u00C0 distance';
    RETURN NEW;
END
$$;

-- The condition stands in the trigger, so that the other rows do not pay for a call.
CREATE TRIGGER sessions_lieu BEFORE INSERT OR UPDATE ON public.sessions
    FOR EACH ROW WHEN (NEW.lieu IS NULL AND NEW.modalite = 'D') EXECUTE FUNCTION public.lieu_a_distance();

INSERT INTO public.learntrack_migrations (name) VALUES ('0004_versions.sql') ON CONFLICT DO NOTHING;
