-- The parts of the file of a company, in temporary tables of the session: kernel.companies_import checks them there and makes the
-- company of them. Rows keep their ids, which are unique in a company only. Those that are unique over all companies, of members,
-- files, keys and subscriptions, are raised by one number where they are taken here, with all that refers to them.

-- Makes the temporary table for a part of the file; the result is the COPY statement that fills it. Refuses a table that this database
-- does not have, or has with other columns.
CREATE OR REPLACE FUNCTION kernel.company_stage(name text, columns text[]) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part record;
    staged text;
BEGIN
    SELECT * INTO part FROM kernel.company_tables(true) AS t WHERE t.name = company_stage.name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the file has the table %, which this installation does not have', company_stage.name
            USING ERRCODE = 'undefined_object',
                HINT = 'Apply the migrations of its domain here, or those that have added it.';
    ELSIF NOT (part.columns @> company_stage.columns AND part.columns <@ company_stage.columns) THEN
        RAISE EXCEPTION 'the table % has other columns here: in the file %; here %', company_stage.name,
            array_to_string(company_stage.columns, ', '), array_to_string(part.columns, ', ')
            USING ERRCODE = 'undefined_object', HINT = 'Let the table be alike in both installations, and export the company again.';
    END IF;
    staged := format('pg_temp.stage_%s', part.home::oid);
    EXECUTE format('CREATE TEMPORARY TABLE stage_%s AS %s WITH NO DATA', part.home::oid, part.source);
    RETURN format(
        'COPY %s (%s) FROM STDIN', staged,
        (SELECT string_agg(quote_ident(c), ', ' ORDER BY number) FROM unnest(company_stage.columns) WITH ORDINALITY AS g (c, number)));
END
$$;

-- The temporary table of a part; null if the file does not have it.
CREATE OR REPLACE FUNCTION kernel.company_staged(home regclass) RETURNS regclass
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT to_regclass(format('pg_temp.stage_%s', home::oid))
$$;

-- Adds to the numbers in these members of an object.
CREATE OR REPLACE FUNCTION kernel.raised(given jsonb, names text[], amount bigint) RETURNS jsonb
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN jsonb_typeof(given) = 'object' AND given ?| names THEN (
        SELECT jsonb_object_agg(
            m.key,
            CASE WHEN m.key = ANY (names) AND jsonb_typeof(m.value) = 'number' THEN to_jsonb((m.value #>> '{}')::numeric + amount)
                ELSE m.value END)
        FROM jsonb_each(given) AS m) ELSE given END
$$;

-- Adds to the ids of the files that a value names by this member, as kernel.files_in finds them.
CREATE OR REPLACE FUNCTION kernel.raised_files(given jsonb, member text, amount bigint) RETURNS jsonb
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE jsonb_typeof(given)
        WHEN 'array' THEN (
            SELECT coalesce(jsonb_agg(
                CASE WHEN jsonb_typeof(e.element) = 'number' AND member = '' THEN to_jsonb((e.element #>> '{}')::numeric + amount)
                    WHEN member = '' THEN e.element ELSE kernel.raised(e.element, ARRAY[member], amount) END ORDER BY e.number), '[]')
            FROM jsonb_array_elements(given) WITH ORDINALITY AS e (element, number))
        WHEN 'object' THEN kernel.raised(given, ARRAY[member], amount)
        ELSE given END
$$;

-- What an entry of the journal says of a row, with the ids that were raised. `raises` is by table what its columns refer to:
-- {"public.prospects": [{"column": "responsable_id", "amount": 1200}, {"column": "notes", "member": "photo", "amount": 40}]}.
CREATE OR REPLACE FUNCTION kernel.raised_entry(home text, given jsonb, raises jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own record;
BEGIN
    IF given IS NOT NULL AND raises ? home THEN
        FOR own IN SELECT * FROM jsonb_to_recordset(raises -> home) AS r ("column" text, member text, amount bigint) LOOP
            IF own.member IS NULL THEN
                given := kernel.raised(given, ARRAY[own."column"], own.amount);
            ELSIF given ? own."column" THEN
                given := given || jsonb_build_object(
                    own."column", kernel.raised_files(given -> own."column", own.member, own.amount));
            END IF;
        END LOOP;
    END IF;
    RETURN given;
END
$$;

-- Refuses rows of the file that refer to others which neither the file nor, of tables without a company, this database has.
CREATE OR REPLACE FUNCTION kernel.company_check_staged() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    reference record;
    staged regclass;
    found jsonb;
BEGIN
    -- Nobody else makes the statistics of temporary tables.
    FOR staged IN SELECT kernel.company_staged(t.home) FROM kernel.company_tables(true) AS t LOOP
        CONTINUE WHEN staged IS NULL;
        EXECUTE format('ANALYZE %s', staged);
    END LOOP;
    FOR reference IN
        SELECT k.conrelid::regclass AS home, k.confrelid::regclass AS other, kernel.company_staged(k.conrelid) AS staged,
            CASE WHEN company.attrelid IS NULL THEN k.confrelid::regclass ELSE kernel.company_staged(k.confrelid) END AS among,
            pairs.*
        FROM kernel.company_homes() AS h JOIN pg_constraint AS k ON k.conrelid = h.home AND k.contype = 'f'
        LEFT JOIN pg_attribute AS company
            ON company.attrelid = k.confrelid AND company.attname = 'company_id' AND NOT company.attisdropped
        CROSS JOIN LATERAL (
            SELECT string_agg(format('o.%I = s.%I', there.attname, here.attname), ' AND ') AS same,
                string_agg(format('s.%I IS NOT NULL', here.attname), ' AND ') AS given,
                string_agg(here.attname, ', ') AS columns
            FROM unnest(k.conkey, k.confkey) AS p (here, there)
            JOIN pg_attribute AS here ON here.attrelid = k.conrelid AND here.attnum = p.here
            JOIN pg_attribute AS there ON there.attrelid = k.confrelid AND there.attnum = p.there
            WHERE here.attname <> 'company_id'
        ) AS pairs
        WHERE pairs.same IS NOT NULL AND kernel.company_staged(k.conrelid) IS NOT NULL
            -- Members find their accounts by their addresses.
            AND (k.conrelid, k.confrelid) <> ('public.users'::regclass, 'kernel.accounts'::regclass)
    LOOP
        -- The first of them: LIMIT would promise Postgres that one comes soon, and it would look for each row in turn.
        EXECUTE format(
            'SELECT to_jsonb(w) FROM %1$s AS w WHERE w.ctid = (SELECT min(s.ctid) FROM %1$s AS s WHERE %2$s%3$s)',
            reference.staged, reference.given,
            CASE WHEN reference.among IS NULL THEN ''
                ELSE format(' AND NOT EXISTS (SELECT FROM %s AS o WHERE %s)', reference.among, reference.same) END)
            INTO found;
        IF found IS NOT NULL THEN
            RAISE EXCEPTION 'the row % of % names by % a row of % that is not there', coalesce(found ->> 'id', '?'),
                reference.home, reference.columns, reference.other
                USING ERRCODE = 'foreign_key_violation', HINT = 'Export the company again: the file is not as it was written.';
        END IF;
    END LOOP;
END
$$;

-- By how much the ids of the file are raised that are unique over all companies: by nothing as long as none is taken. Numbers of
-- members are never given twice, also not those of members who are gone: servers still refuse their tokens. Draws what it needs from
-- the sequences.
CREATE OR REPLACE FUNCTION kernel.company_raises() RETURNS TABLE (home regclass, amount bigint)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- What calls draw from a sequence between two statements here is less.
    margin CONSTANT bigint := 1000;
    numbers text;
    least_id bigint;
    greatest_id bigint;
    is_taken boolean;
BEGIN
    FOR home, numbers IN
        SELECT h.home, pg_get_serial_sequence(h.home::text, 'id') FROM kernel.company_homes() AS h
        JOIN pg_index AS i ON i.indrelid = h.home AND i.indisunique AND i.indnatts = 1 AND i.indpred IS NULL
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] AND a.attname = 'id'
        WHERE kernel.company_staged(h.home) IS NOT NULL
        GROUP BY h.home
    LOOP
        EXECUTE format('SELECT min(id), max(id) FROM %s', kernel.company_staged(home)) INTO least_id, greatest_id;
        CONTINUE WHEN least_id IS NULL;
        EXECUTE format(
            CASE WHEN home = 'public.users'::regclass THEN 'SELECT %L <= last_value FROM %s'
                ELSE 'SELECT EXISTS (SELECT FROM %3$s AS r JOIN %4$s AS s ON s.id = r.id)' END,
            least_id, numbers, home, kernel.company_staged(home)) INTO is_taken;
        amount := 0;
        IF is_taken THEN
            amount := nextval(numbers) + margin - least_id;
            PERFORM setval(numbers, greatest_id + amount);
        END IF;
        RETURN NEXT;
    END LOOP;
    -- What is added later has higher ids than what the file has.
    FOR home, numbers IN
        SELECT h.home, pg_get_serial_sequence(h.home::text, 'id') FROM kernel.company_homes() AS h
        JOIN pg_attribute AS a ON a.attrelid = h.home AND a.attname = 'id' AND NOT a.attisdropped
        WHERE kernel.company_staged(h.home) IS NOT NULL
    LOOP
        CONTINUE WHEN numbers IS NULL;
        EXECUTE format('SELECT max(id) FROM %s', kernel.company_staged(home)) INTO greatest_id;
        EXECUTE format('SELECT setval(%L, $1 + %s) FROM %s WHERE $1 >= last_value', numbers, margin, numbers) USING greatest_id;
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_stage(text, text[]), kernel.company_staged(regclass), kernel.raised(jsonb, text[], bigint),
    kernel.raised_files(jsonb, text, bigint), kernel.raised_entry(text, jsonb, jsonb), kernel.company_check_staged(),
    kernel.company_raises() FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_stage.sql', 'd180940e0fd77c41');
