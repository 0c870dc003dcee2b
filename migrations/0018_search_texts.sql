-- Search over a stored text. What a search compares is computed when a record is written, no longer for each record that
-- a search examines.
--
-- The text is a column of the record, `texte_recherche`. Measured with 100,000 sessions against a table beside it with one
-- row for each session: testing the first 500 records of an order takes 0.4 ms instead of 2 to 3 ms, because the row is
-- read anyway, and the texts with their index take 35 MB instead of 41 MB. The price is that `SELECT *` shows the column.

-- A part of a text that consists of several. Parts are separated by line feeds, so that no word matches across two
-- parts: the words of a search are separated by white space and hence contain no line feed.
CREATE FUNCTION public.partie_recherche(texte text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN translate(public.sans_accents(texte), E'\n', E'\v');

-- Gives a table its searchable text and the trigram index on it: what the migrations of a further domain call.
--
-- `texte` is an expression over the columns of the table. Without one, the table has the column `texte_recherche`
-- already, and triggers that keep it.
--
-- Inserts put their trigrams into a list of at most 256 kB, which the index takes in as a whole. A search reads the list.
-- Measured with 100,000 sessions: an insert takes 170 µs with it, 246 with a list of 64 kB, 142 with 512 kB, 378 without a
-- list, 74 without the index. A full list costs a search 0.1 ms, one of 512 kB 0.4 ms.
CREATE FUNCTION public.recherche_keep(kept regclass, texte text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    name text := (SELECT relname FROM pg_catalog.pg_class WHERE oid = kept) || '_recherche_idx';
    -- Some services keep extensions out of public.
    opclass text := (
        SELECT extnamespace::regnamespace::text || '.gin_trgm_ops'
        FROM pg_catalog.pg_extension
        WHERE extname = 'pg_trgm'
    );
BEGIN
    IF texte IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s ADD COLUMN texte_recherche text GENERATED ALWAYS AS (%s) STORED', kept, texte);
    END IF;
    -- Postgres puts the column in the place of the call.
    EXECUTE format(
        'CREATE FUNCTION public.recherche(%s) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE '
        'RETURN ($1).texte_recherche', kept);
    EXECUTE format(
        'CREATE INDEX %I ON %s USING gin (texte_recherche %s) WITH (fastupdate = on, gin_pending_list_limit = 256)',
        name, kept, opclass);
    EXECUTE format('COMMENT ON INDEX public.%I IS %L', name, 'search, and patterns in the columns that it searches');
END
$$;

REVOKE EXECUTE ON FUNCTION public.recherche_keep(regclass, text) FROM PUBLIC;

-- The journal does not mention the text, and has no entry for an update that changes nothing else.
CREATE OR REPLACE FUNCTION public.journal_note() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
AS $$
DECLARE
    account bigint := nullif(current_setting('learntrack.account', true), '')::bigint;
    email text;
    username text;
    row_id bigint;
    old_row jsonb;
    new_row jsonb;
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN
            row_id := NEW.id;
            new_row := to_jsonb(NEW) - 'texte_recherche';
        WHEN 'DELETE' THEN
            row_id := OLD.id;
            old_row := to_jsonb(OLD) - 'texte_recherche';
        WHEN 'UPDATE' THEN
            row_id := OLD.id;
            new_row := to_jsonb(NEW);
            -- updated_at changes each time and is the entry's own time.
            SELECT jsonb_object_agg(was.key, was.value), jsonb_object_agg(was.key, new_row -> was.key)
                INTO old_row, new_row
                FROM jsonb_each(to_jsonb(OLD)) AS was
                WHERE was.value IS DISTINCT FROM new_row -> was.key
                    AND was.key NOT IN ('updated_at', 'texte_recherche');
            IF old_row IS NULL AND to_jsonb(OLD) ? 'texte_recherche' THEN
                RETURN NULL;
            END IF;
        ELSE
            NULL;
    END CASE;
    IF account IS NOT NULL THEN
        SELECT u.email, u.username INTO email, username FROM public.users AS u WHERE u.id = account;
    END IF;
    INSERT INTO public.journal (table_name, row_id, operation, actor, request_id, before, after)
    VALUES (
        TG_TABLE_NAME, row_id,
        CASE TG_OP WHEN 'INSERT' THEN 'create' ELSE lower(TG_OP) END,
        jsonb_build_object('id', account, 'email', email, 'username', username, 'database_user', session_user),
        nullif(current_setting('learntrack.request', true), ''), old_row, new_row
    );
    RETURN NULL;
END
$$;

DROP INDEX public.sessions_recherche_idx, public.formateurs_recherche_idx, public.formateurs_nom_recherche_idx,
    public.clients_recherche_idx, public.clients_nom_recherche_idx, public.ecoles_recherche_idx,
    public.users_recherche_idx;
DROP FUNCTION public.recherche(public.sessions), public.recherche(public.formateurs), public.recherche(public.clients),
    public.recherche(public.ecoles), public.recherche(public.users);

SELECT public.recherche_keep(
    'public.formateurs',
    $$public.sans_accents(
        prenom || ' ' || nom || ' ' || coalesce(specialite, '') || ' ' || coalesce(societe, ''))$$);
SELECT public.recherche_keep(
    'public.clients',
    $$public.sans_accents(raison_sociale || ' ' || coalesce(ville, '') || ' ' || coalesce(nom_contact, ''))$$);
SELECT public.recherche_keep(
    'public.ecoles', $$public.sans_accents(nom || ' ' || coalesce(ville, '') || ' ' || coalesce(nom_contact, ''))$$);
SELECT public.recherche_keep('public.users', $$public.sans_accents(coalesce(username, '') || ' ' || email)$$);

-- What a session is found by of its trainer and its client: their names.
CREATE OR REPLACE FUNCTION public.nom_recherche(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.partie_recherche((formateur).prenom || ' ' || (formateur).nom);

CREATE OR REPLACE FUNCTION public.nom_recherche(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.partie_recherche((client).raison_sociale);

-- The text of a session has three parts: its own columns, the trainer's name, the client's name. A generated column
-- cannot hold names of other tables.
ALTER TABLE public.sessions ADD COLUMN texte_recherche text;

-- A change of type rewrites the table once. An UPDATE would leave every old row behind, and count as a change.
CREATE FUNCTION public.texte_de_session(
    module text, ref_contrat text, lieu text, formateur_id bigint, client_id bigint
) RETURNS text
    LANGUAGE sql STABLE
    RETURN concat(
        public.partie_recherche(module || ' ' || coalesce(ref_contrat, '') || ' ' || coalesce(lieu, '')),
        E'\n', (SELECT public.nom_recherche(f) FROM public.formateurs AS f WHERE f.id = formateur_id),
        E'\n', (SELECT public.nom_recherche(c) FROM public.clients AS c WHERE c.id = client_id));

ALTER TABLE public.sessions ALTER COLUMN texte_recherche
    TYPE text USING public.texte_de_session(module, ref_contrat, lieu, formateur_id, client_id);

DROP FUNCTION public.texte_de_session(text, text, text, bigint, bigint);

-- A session that is written without its triggers, as a restore may do, is refused rather than never found.
ALTER TABLE public.sessions ALTER COLUMN texte_recherche SET NOT NULL;

SELECT public.recherche_keep('public.sessions');

-- Keeps the text of a session that is written. A name is read from another table only when the session is new or changes
-- its trainer or client; otherwise its part stays, which the functions below keep.
--
-- FOR SHARE lets a transaction that renames the trainer or client end first, or makes it wait for this one. Without it,
-- each of the two would miss what the other one writes. SECURITY DEFINER, because the lock requires rights to write.
CREATE FUNCTION public.recherche_de_session() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    formateur text;
    client text;
    complete boolean := TG_OP = 'INSERT';
BEGIN
    IF NOT complete THEN
        complete := OLD.texte_recherche IS NULL OR OLD.texte_recherche IS DISTINCT FROM NEW.texte_recherche;
        formateur := split_part(OLD.texte_recherche, E'\n', 2);
        client := split_part(OLD.texte_recherche, E'\n', 3);
    END IF;
    IF complete OR NEW.formateur_id IS DISTINCT FROM OLD.formateur_id THEN
        SELECT public.nom_recherche(f) INTO formateur FROM public.formateurs AS f WHERE f.id = NEW.formateur_id FOR SHARE;
    END IF;
    IF complete OR NEW.client_id IS DISTINCT FROM OLD.client_id THEN
        SELECT public.nom_recherche(c) INTO client FROM public.clients AS c WHERE c.id = NEW.client_id FOR SHARE;
    END IF;
    NEW.texte_recherche := concat(
        public.partie_recherche(
            NEW.module || ' ' || coalesce(NEW.ref_contrat, '') || ' ' || coalesce(NEW.lieu, '')),
        E'\n', formateur, E'\n', client);
    RETURN NEW;
END
$$;

REVOKE EXECUTE ON FUNCTION public.recherche_de_session() FROM PUBLIC;

-- Triggers of one event run in the order of their names: these run after `sessions_lieu`, which fills in a place.
CREATE TRIGGER sessions_recherche BEFORE INSERT ON public.sessions
    FOR EACH ROW EXECUTE FUNCTION public.recherche_de_session();
-- A text that somebody writes at psql is replaced by the right one. One that a trigger writes is that of the function
-- below.
CREATE TRIGGER sessions_recherche_change BEFORE UPDATE ON public.sessions
    FOR EACH ROW
    WHEN (
        OLD.module IS DISTINCT FROM NEW.module OR OLD.ref_contrat IS DISTINCT FROM NEW.ref_contrat
        OR OLD.lieu IS DISTINCT FROM NEW.lieu OR OLD.formateur_id IS DISTINCT FROM NEW.formateur_id
        OR OLD.client_id IS DISTINCT FROM NEW.client_id
        OR OLD.texte_recherche IS DISTINCT FROM NEW.texte_recherche AND pg_catalog.pg_trigger_depth() = 0
    )
    EXECUTE FUNCTION public.recherche_de_session();

-- A new name for the sessions of a trainer or client. Only this part of their texts changes, so that two renames
-- at the same time do not undo each other; they lock the sessions in one order.
CREATE FUNCTION public.recherche_renomme() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    nom text := public.nom_recherche(NEW);
BEGIN
    IF nom = public.nom_recherche(OLD) THEN
        RETURN NULL;
    END IF;
    -- An older snapshot would miss the sessions that another transaction has added after it was taken.
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'a trainer or client is renamed in a transaction of the isolation level READ COMMITTED only'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF TG_TABLE_NAME = 'formateurs' THEN
        PERFORM FROM public.sessions AS s WHERE s.formateur_id = NEW.id ORDER BY s.id FOR NO KEY UPDATE;
        UPDATE public.sessions AS s
        SET texte_recherche = concat(
            split_part(s.texte_recherche, E'\n', 1), E'\n', nom, E'\n', split_part(s.texte_recherche, E'\n', 3))
        WHERE s.formateur_id = NEW.id;
    ELSE
        PERFORM FROM public.sessions AS s WHERE s.client_id = NEW.id ORDER BY s.id FOR NO KEY UPDATE;
        UPDATE public.sessions AS s
        SET texte_recherche = concat(
            split_part(s.texte_recherche, E'\n', 1), E'\n', split_part(s.texte_recherche, E'\n', 2), E'\n', nom)
        WHERE s.client_id = NEW.id;
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION public.recherche_renomme() FROM PUBLIC;

CREATE TRIGGER formateurs_recherche AFTER UPDATE ON public.formateurs
    FOR EACH ROW WHEN (OLD.prenom IS DISTINCT FROM NEW.prenom OR OLD.nom IS DISTINCT FROM NEW.nom)
    EXECUTE FUNCTION public.recherche_renomme();
CREATE TRIGGER clients_recherche AFTER UPDATE ON public.clients
    FOR EACH ROW WHEN (OLD.raison_sociale IS DISTINCT FROM NEW.raison_sociale)
    EXECUTE FUNCTION public.recherche_renomme();

-- A new name of the trainer or client is no change of the session: its version and the time of its last change stay.
DROP TRIGGER sessions_changement ON public.sessions;
CREATE TRIGGER sessions_changement BEFORE UPDATE ON public.sessions
    FOR EACH ROW
    WHEN (OLD.texte_recherche IS NOT DISTINCT FROM NEW.texte_recherche OR pg_catalog.pg_trigger_depth() = 0)
    EXECUTE FUNCTION public.note_changement();

INSERT INTO public.learntrack_migrations (name) VALUES ('0018_search_texts.sql') ON CONFLICT DO NOTHING;
