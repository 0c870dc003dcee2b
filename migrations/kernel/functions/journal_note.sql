-- The server names the account and the request that it writes for in the settings learntrack.account and
-- learntrack.request of the transaction. A person who runs SQL of their own can name another account there, but
-- not another login: session_user cannot be set.
--
-- SECURITY DEFINER, because no role may write entries except by writing rows. Times are in UTC, as answers have them. The journal
-- leaves the company and the searchable text out, and has no entry for an update that changes only this text. The trigger's
-- arguments name columns that no call reads: their values are *** here.
CREATE OR REPLACE FUNCTION kernel.journal_note() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
AS $$
DECLARE
    account bigint := nullif(current_setting('learntrack.account', true), '')::bigint;
    email text;
    username text;
    row_id bigint;
    company bigint;
    -- With all columns. The company of a row stays, and the account of a member tells whether it is older than the member.
    whole jsonb;
    hidden text[] := CASE WHEN TG_RELID = 'public.users'::regclass THEN '{search_text, company_id, account_id, joined_at, is_member, deactivations}'
        ELSE '{search_text, company_id}' END;
    old_row jsonb;
    new_row jsonb;
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN
            row_id := NEW.id;
            whole := to_jsonb(NEW);
            new_row := whole - hidden;
        WHEN 'DELETE' THEN
            row_id := OLD.id;
            whole := to_jsonb(OLD);
            old_row := whole - hidden;
        WHEN 'UPDATE' THEN
            row_id := OLD.id;
            whole := to_jsonb(NEW);
            -- updated_at changes each time and is the entry's own time.
            SELECT jsonb_object_agg(was.key, was.value), jsonb_object_agg(was.key, whole -> was.key)
                INTO old_row, new_row
                FROM jsonb_each(to_jsonb(OLD)) AS was
                WHERE was.value IS DISTINCT FROM whole -> was.key
                    AND was.key <> 'updated_at' AND was.key <> ALL (hidden);
            IF old_row IS NULL AND whole ? 'search_text' THEN
                RETURN NULL;
            END IF;
        ELSE
            NULL;
    END CASE;
    IF TG_NARGS > 0 THEN
        SELECT jsonb_object_agg(key, CASE WHEN key = ANY (TG_ARGV) AND value <> 'null' THEN '"***"' ELSE value END)
            INTO old_row FROM jsonb_each(old_row);
        SELECT jsonb_object_agg(key, CASE WHEN key = ANY (TG_ARGV) AND value <> 'null' THEN '"***"' ELSE value END)
            INTO new_row FROM jsonb_each(new_row);
    END IF;
    company := coalesce((whole ->> 'company_id')::bigint, kernel.company());
    -- Who acts in one company is nobody in another one.
    IF company <> kernel.company() THEN
        account := NULL;
    END IF;
    IF account IS NOT NULL THEN
        SELECT u.email, u.username INTO email, username FROM public.users AS u
        WHERE u.company_id = company AND u.id = account;
    ELSE
        -- What the server does by itself: job:… or outbox:….
        username := nullif(current_setting('learntrack.author', true), '');
    END IF;
    INSERT INTO public.journal (
        company_id, table_schema, table_name, row_id, operation, actor, request_id, before, after)
    VALUES (
        company, TG_TABLE_SCHEMA, TG_TABLE_NAME, row_id,
        CASE TG_OP WHEN 'INSERT' THEN 'create' ELSE lower(TG_OP) END,
        jsonb_build_object('id', account, 'email', email, 'username', username, 'database_user', session_user),
        nullif(current_setting('learntrack.request', true), ''), old_row, new_row
    );
    RETURN NULL;
END
$$;

-- Otherwise anybody could put the trigger on a temporary table and write entries through it.
REVOKE EXECUTE ON FUNCTION kernel.journal_note() FROM PUBLIC;

SELECT kernel.journal_keep('public.users');

SELECT kernel.note_file('kernel', 'functions/journal_note.sql', '27a8fedb53fcb6e8');
