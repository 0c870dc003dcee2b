-- Erases what is personal, on the request of the person: from the tables and from the journal. Figures and references stay.
-- The owner of the schema executes these functions, from the command line; no role of the service does.

-- Hides the values of some members of an object.
CREATE OR REPLACE FUNCTION kernel.hide(values_by_name jsonb, names text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
    RETURN (
        SELECT jsonb_object_agg(m.key, CASE WHEN m.key = ANY (names) AND m.value <> 'null' THEN '"***"' ELSE m.value END)
        FROM jsonb_each(values_by_name) AS m
    );

-- Erases a record.
--
-- replacing  what takes the place of its personal values, by column
-- successor  the function that says which record has absorbed another one, or null: entries about absorbed records are about the
--            same person
--
-- The result is the number of journal entries that had something to hide. No row and no entry of this id is an error.
CREATE OR REPLACE FUNCTION kernel.erase_record(erased regclass, record bigint, replacing jsonb, successor text DEFAULT NULL)
    RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    names text[] := ARRAY(SELECT jsonb_object_keys(replacing));
    columns text := (SELECT string_agg(quote_ident(name), ', ') FROM unnest(names) AS name);
    home text := (SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = erased);
    label text := (SELECT relname FROM pg_class WHERE oid = erased);
    records bigint[] := ARRAY[record];
    updated bigint;
    hidden bigint;
BEGIN
    EXECUTE format(
        'UPDATE %1$s AS t SET (%2$s) = (SELECT %2$s FROM jsonb_populate_record(NULL::%1$s, $1)) WHERE t.id = $2%3$s',
        erased, columns, kernel.of_company(erased)) USING replacing, record;
    GET DIAGNOSTICS updated = ROW_COUNT;
    IF successor IS NOT NULL THEN
        EXECUTE format(
            'SELECT $1 || ARRAY(SELECT DISTINCT j.row_id FROM public.journal AS j WHERE j.company_id = kernel.company() '
            'AND j.table_schema = $2 AND j.table_name = $3 AND j.operation = ''delete'' AND %s(j.row_id) = $4)', successor)
            INTO records USING records, home, label, record;
    END IF;
    PERFORM set_config('learntrack.erasing', 'on', true);
    -- Any company may have entries about what belongs to none.
    UPDATE public.journal SET before = kernel.hide(before, names), after = kernel.hide(after, names)
        WHERE (company_id = kernel.company() OR kernel.of_company(erased) = '')
            AND table_schema = home AND table_name = label AND row_id = ANY (records)
            AND (before ?| names OR after ?| names);
    GET DIAGNOSTICS hidden = ROW_COUNT;
    PERFORM set_config('learntrack.erasing', 'off', true);
    IF updated = 0 AND hidden = 0 THEN
        RAISE EXCEPTION 'there is no record % in %', record, label USING ERRCODE = 'no_data_found';
    END IF;
    RETURN hidden;
END
$$;

-- Erases an account: what it is, in each of its companies, and how it signs in. Its numbers stay, so that the journal still says which
-- account has done what. The result is NULL, and nothing is erased, if it is the last active administrator of a company: no other
-- account could make more of them.
CREATE OR REPLACE FUNCTION kernel.erase_account(erased bigint) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own_company text := current_setting('learntrack.company', true);
    member public.users;
    hidden bigint := 0;
BEGIN
    -- This waits for a call that is adding a passkey to the account, or a member, and those that come later are refused.
    PERFORM FROM kernel.accounts AS a WHERE a.id = erased FOR UPDATE;
    FOR member IN SELECT * FROM public.users AS u WHERE u.account_id = erased ORDER BY u.company_id LOOP
        -- The lock of keep_last_admin.sql: changes of administrators take turns.
        PERFORM pg_advisory_xact_lock(hashtextextended('learntrack.admins', member.company_id));
        IF EXISTS (
            SELECT FROM public.users AS u
            WHERE u.company_id = member.company_id AND u.id = member.id AND u.role = 'admin' AND u.is_member)
            AND NOT EXISTS (
                SELECT FROM public.users AS u
                WHERE u.company_id = member.company_id AND u.id <> member.id AND u.role = 'admin' AND u.is_member)
        THEN
            RETURN NULL;
        END IF;
    END LOOP;
    FOR member IN SELECT * FROM public.users AS u WHERE u.account_id = erased ORDER BY u.company_id LOOP
        PERFORM set_config('learntrack.company', member.company_id::text, true);
        UPDATE public.users AS u SET role = 'user', is_active = false
            WHERE u.company_id = member.company_id AND u.id = member.id;
        DELETE FROM public.account_roles AS r WHERE r.company_id = member.company_id AND r.account_id = member.id;
        DELETE FROM kernel.subscriptions AS s WHERE s.company_id = member.company_id AND s.account_id = member.id;
        DELETE FROM kernel.idempotency AS i WHERE i.company_id = member.company_id AND i.account_id = member.id;
        UPDATE public.access_keys AS k SET revoked_at = coalesce(k.revoked_at, now()), name = 'effacé'
            WHERE k.company_id = member.company_id AND k.account_id = member.id;
        hidden := hidden + kernel.erase_record(
            'public.users', member.id,
            jsonb_build_object(
                'username', NULL, 'email', format('efface-%s@compte.invalid', erased), 'supabase_user_id', NULL));
        PERFORM set_config('learntrack.erasing', 'on', true);
        UPDATE public.journal AS j SET actor = j.actor || '{"email": null, "username": null}'
            WHERE j.company_id = member.company_id AND j.actor ->> 'id' = member.id::text;
        UPDATE public.journal AS j
            SET before = kernel.hide(j.before, '{name}'), after = kernel.hide(j.after, '{name}')
            WHERE j.company_id = member.company_id AND j.table_name = 'access_keys' AND j.row_id IN (
                SELECT k.id FROM public.access_keys AS k
                WHERE k.company_id = member.company_id AND k.account_id = member.id);
        PERFORM set_config('learntrack.erasing', 'off', true);
    END LOOP;
    PERFORM set_config('learntrack.company', coalesce(own_company, ''), true);
    DELETE FROM public.credentials WHERE user_id = erased;
    DELETE FROM kernel.passkeys WHERE account_id = erased;
    DELETE FROM public.password_resets WHERE user_id = erased;
    DELETE FROM public.sign_ins WHERE user_id = erased;
    DELETE FROM public.known_places WHERE user_id = erased;
    RETURN hidden;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.hide(jsonb, text[]), kernel.erase_record(regclass, bigint, jsonb, text),
    kernel.erase_account(bigint) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/erase.sql', '88e7ca5f40187597');
