-- Who changed what: one row for every row written, by triggers, in the transaction that writes it. Nothing is written
-- without its entry, whoever writes it, psql included, and no entry without what it tells of.

CREATE TABLE public.journal (
    id bigserial CONSTRAINT journal_pkey PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    table_name text NOT NULL,
    -- No foreign key: an entry outlives its row. Null for a table that was emptied as a whole.
    row_id bigint,
    operation text NOT NULL
        CONSTRAINT journal_operation_check CHECK (operation IN ('create', 'update', 'delete', 'truncate')),
    -- {"id", "email", "username": the account as it was then, null without one; "database_user": the login}.
    actor jsonb NOT NULL,
    request_id text,
    -- The whole row where it came into being or went; of an update what it changed alone, from which and the entries
    -- after it every earlier state follows.
    before jsonb,
    after jsonb
);

CREATE INDEX journal_row_idx ON public.journal (table_name, row_id, id);
CREATE INDEX journal_at_idx ON public.journal (at, id);

-- An account is looked for rarely, and among the newest entries first.
CREATE FUNCTION public.actor_id(entry public.journal) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((entry).actor ->> 'id')::bigint;

CREATE FUNCTION public.actor_email(entry public.journal) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (entry).actor ->> 'email';

-- The server names the account and the request that it writes for in the settings learntrack.account and
-- learntrack.request of the transaction. Whoever may run SQL of their own can name another account there, but not
-- another login: session_user cannot be set.
--
-- SECURITY DEFINER, since nobody may write entries but by writing rows. Times are in UTC, as answers have them.
CREATE FUNCTION public.journal_note() RETURNS trigger
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
    IF account IS NOT NULL THEN
        SELECT u.email, u.username INTO email, username FROM public.users AS u WHERE u.id = account;
    END IF;
    CASE TG_OP
        WHEN 'INSERT' THEN
            row_id := NEW.id;
            new_row := to_jsonb(NEW);
        WHEN 'DELETE' THEN
            row_id := OLD.id;
            old_row := to_jsonb(OLD);
        WHEN 'UPDATE' THEN
            row_id := OLD.id;
            new_row := to_jsonb(NEW);
            -- updated_at changes each time and is the entry's own time.
            SELECT jsonb_object_agg(was.key, was.value), jsonb_object_agg(was.key, new_row -> was.key)
                INTO old_row, new_row
                FROM jsonb_each(to_jsonb(OLD)) AS was
                WHERE was.value IS DISTINCT FROM new_row -> was.key AND was.key <> 'updated_at';
        ELSE
            NULL;
    END CASE;
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

-- Otherwise anybody could put the trigger on a temporary table and write entries through it.
REVOKE EXECUTE ON FUNCTION public.journal_note() FROM PUBLIC;

-- Keeps the journal of a table with a primary key `id`: what the migrations of a further domain call for each of its
-- tables.
CREATE FUNCTION public.journal_keep(kept regclass) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format(
        'CREATE TRIGGER journal_row AFTER INSERT OR UPDATE OR DELETE ON %s '
        'FOR EACH ROW EXECUTE FUNCTION public.journal_note()', kept);
    EXECUTE format(
        'CREATE TRIGGER journal_table AFTER TRUNCATE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION public.journal_note()', kept);
END
$$;

REVOKE EXECUTE ON FUNCTION public.journal_keep(regclass) FROM PUBLIC;

SELECT public.journal_keep(kept)
FROM unnest(ARRAY['sessions', 'formateurs', 'clients', 'ecoles', 'users']::regclass[]) AS kept;

-- Append-only, for the owner too: whoever must shorten the journal has to switch this trigger off, on purpose.
CREATE FUNCTION public.journal_refuse() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION 'the journal is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON public.journal
    FOR EACH STATEMENT EXECUTE FUNCTION public.journal_refuse();
-- Entries come from triggers, never from a statement of somebody's.
CREATE TRIGGER journal_by_triggers_only BEFORE INSERT ON public.journal
    FOR EACH STATEMENT WHEN (pg_catalog.pg_trigger_depth() = 0) EXECUTE FUNCTION public.journal_refuse();

-- Reading alone is granted. Who reads a table reads its history: the condition asks Postgres for that very right, so
-- that no second list of tables is kept. It costs nothing but for the entries of one record's page: a history's
-- filter is of leakproof comparisons, which go first and through the index.
GRANT SELECT ON public.journal TO learntrack_user, learntrack_admin;
ALTER TABLE public.journal ENABLE ROW LEVEL SECURITY;
CREATE POLICY journal_admin ON public.journal FOR SELECT TO learntrack_admin USING (true);
CREATE POLICY journal_user ON public.journal FOR SELECT TO learntrack_user
    USING (pg_catalog.has_table_privilege(
        pg_catalog.to_regclass('public.' || pg_catalog.quote_ident(table_name)), 'SELECT'));

INSERT INTO public.learntrack_migrations (name) VALUES ('0011_journal.sql') ON CONFLICT DO NOTHING;
