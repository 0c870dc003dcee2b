-- Gives each row of these tables a company. A migration calls it for tables that were made without one, in one call for tables that
-- refer to each other:
--
--     SELECT kernel.company_keep('stock.orders', 'stock.lines');
--
-- Each table gets the column `company_id`, which existing rows have from kernel.company(). It becomes the first column of the primary
-- key, of every other unique constraint and every index, and of the foreign keys between tables that have it, on both sides: an id is
-- unique in its company, and no row refers to a row of another. Constraints and indexes keep their names. A table that has all this
-- stays as it is. Indexes with a comment that begins with 'all companies: ' stay as they are, and GIN indexes, which take much longer to
-- build: kernel.company_gin has those.
--
-- Nobody reads or writes the tables meanwhile. Where building their indexes takes too long for that, two earlier migrations call
-- kernel.company_add and kernel.company_prepare: the first takes a moment, the second lets reads go on, and what is left takes a
-- moment and the checks of the foreign keys.

-- Takes a lock of all the tables, which the transaction keeps. Calls hold locks of several tables in orders of their own, and
-- Postgres ends a deadlock at the cost of either side: here this side gives its locks up and begins anew, so that no call fails.
CREATE OR REPLACE FUNCTION kernel.company_lock(mode text, VARIADIC tables regclass[]) RETURNS void
    LANGUAGE plpgsql SET lock_timeout = '200ms'
AS $$
DECLARE
    names text := (SELECT string_agg(t::text, ', ' ORDER BY t::oid) FROM unnest(tables) AS t);
BEGIN
    FOR attempt IN 1..600 LOOP
        BEGIN
            EXECUTE format('LOCK TABLE %s IN %s MODE', names, mode);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            PERFORM pg_sleep(random() * 0.2);
        END;
    END LOOP;
    RAISE EXCEPTION 'other transactions keep the tables % locked', names
        USING ERRCODE = 'lock_not_available', HINT = 'Apply the migration again when they have ended.';
END
$$;

-- Gives each of the tables the column.
CREATE OR REPLACE FUNCTION kernel.company_add(VARIADIC tables regclass[]) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    kept regclass;
    reader name;
BEGIN
    PERFORM kernel.company_lock('ACCESS EXCLUSIVE', VARIADIC tables);
    FOREACH kept IN ARRAY tables LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute WHERE attrelid = kept AND attname = 'company_id') THEN
            EXECUTE format('ALTER TABLE %s ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company()', kept);
        END IF;
        -- Who reads some columns compares this one, too.
        FOR reader IN
            SELECT DISTINCT r.rolname
            FROM pg_catalog.pg_attribute AS a CROSS JOIN aclexplode(a.attacl) AS held
            JOIN pg_catalog.pg_roles AS r ON r.oid = held.grantee
            WHERE a.attrelid = kept AND a.attname = 'id' AND held.privilege_type = 'SELECT'
        LOOP
            EXECUTE format('GRANT SELECT (company_id) ON %s TO %I', kept, reader);
        END LOOP;
    END LOOP;
END
$$;

-- The indexes of tables that do not begin with the company, and what takes their place.
--
-- kind         PRIMARY KEY or UNIQUE for the index of such a constraint
-- constrained  the definition of the constraint, if the index belongs to one
-- definition   the statement that builds an index of this name, apart from the old one
-- prepared     the name of an index that is ready to take the place
CREATE OR REPLACE FUNCTION kernel.company_indexes(tables regclass[])
    RETURNS TABLE (
        home regclass, schema name, name name, comment text, conname name, kind text, constrained text, definition text,
        prepared name)
    LANGUAGE sql STABLE
AS $$
    SELECT i.indrelid::regclass, n.nspname, c.relname, obj_description(i.indexrelid, 'pg_class'), k.conname,
        CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' END,
        regexp_replace(
            pg_get_constraintdef(k.oid), '^(PRIMARY KEY|UNIQUE|EXCLUDE USING gist) \(',
            CASE WHEN k.contype = 'x' THEN '\1 (company_id WITH =, ' ELSE '\1 (company_id, ' END),
        regexp_replace(
            CASE WHEN pg_get_expr(i.indexprs, i.indrelid) = 'true'
                -- An index over a constant keeps a table from a second row.
                THEN regexp_replace(pg_get_indexdef(i.indexrelid), '\(\(?true\)?\)', '(company_id)')
                ELSE regexp_replace(pg_get_indexdef(i.indexrelid), '(USING \w+ \()', '\1company_id, ')
            END, ' INDEX \S+ ON ', format(' INDEX %I ON ', c.relname || '_company')),
        (SELECT p.relname FROM pg_catalog.pg_class AS p JOIN pg_catalog.pg_index AS ready ON ready.indexrelid = p.oid
         WHERE ready.indrelid = i.indrelid AND ready.indisvalid AND p.relname = c.relname || '_company')
    FROM pg_catalog.pg_index AS i
    JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_am AS m ON m.oid = c.relam
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attname = 'company_id'
    LEFT JOIN pg_catalog.pg_constraint AS k
        ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u', 'x')
    WHERE i.indrelid = ANY (tables) AND i.indkey[0] <> a.attnum AND (m.amname = 'btree' OR k.contype = 'x')
        AND coalesce(obj_description(i.indexrelid, 'pg_class'), '') NOT LIKE 'all companies: %'
    ORDER BY i.indrelid, i.indisprimary DESC, c.relname
$$;

-- Builds the indexes that begin with the company, beside those that they are to replace.
CREATE OR REPLACE FUNCTION kernel.company_prepare(VARIADIC tables regclass[]) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    missing text;
BEGIN
    PERFORM kernel.company_lock('SHARE', VARIADIC tables);
    FOR missing IN
        SELECT i.definition FROM kernel.company_indexes(tables) AS i
        WHERE i.prepared IS NULL AND (i.kind IS NOT NULL OR i.conname IS NULL)
    LOOP
        EXECUTE missing;
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION kernel.company_keep(VARIADIC tables regclass[]) RETURNS void
    LANGUAGE plpgsql SET client_min_messages = warning
AS $$
DECLARE
    outside regclass;
    reference record;
    index record;
BEGIN
    PERFORM kernel.company_add(VARIADIC tables);
    outside := (
        SELECT k.conrelid FROM pg_catalog.pg_constraint AS k
        WHERE k.contype = 'f' AND k.confrelid = ANY (tables)
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute WHERE attrelid = k.conrelid AND attname = 'company_id')
        LIMIT 1);
    IF outside IS NOT NULL THEN
        RAISE EXCEPTION 'the table % refers to one of these tables, and its rows have no company', outside
            USING HINT = format('Give kernel.company_keep this table in the same call: %s.', outside);
    END IF;

    -- The foreign keys are made anew when the keys are there that they refer to.
    CREATE TEMPORARY TABLE company_references ON COMMIT DROP AS
        SELECT k.conrelid::regclass AS home, k.conname,
            regexp_replace(
                regexp_replace(
                    regexp_replace(pg_get_constraintdef(k.oid), '^FOREIGN KEY \(', 'FOREIGN KEY (company_id, '),
                    '(REFERENCES [^(]+\()', '\1company_id, '),
                -- The company of a row stays.
                'ON DELETE SET (NULL|DEFAULT)(?! \()',
                'ON DELETE SET \1 (' || (
                    SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_catalog.pg_attribute AS a
                    WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)) || ')') AS definition
        FROM pg_catalog.pg_constraint AS k
        JOIN pg_catalog.pg_attribute AS here ON here.attrelid = k.conrelid AND here.attname = 'company_id'
        JOIN pg_catalog.pg_attribute AS there ON there.attrelid = k.confrelid AND there.attname = 'company_id'
        WHERE k.contype = 'f' AND (k.conrelid = ANY (tables) OR k.confrelid = ANY (tables))
            AND here.attnum <> ALL (k.conkey);
    FOR reference IN SELECT * FROM company_references LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', reference.home, reference.conname);
    END LOOP;

    PERFORM kernel.company_prepare(VARIADIC tables);
    FOR index IN SELECT * FROM kernel.company_indexes(tables) LOOP
        IF index.conname IS NOT NULL THEN
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', index.home, index.conname);
            EXECUTE format(
                'ALTER TABLE %s ADD CONSTRAINT %I %s', index.home, index.conname,
                CASE WHEN index.kind IS NULL THEN index.constrained
                    ELSE format('%s USING INDEX %I', index.kind, index.prepared) END);
        ELSE
            EXECUTE format('DROP INDEX %I.%I', index.schema, index.name);
            EXECUTE format('ALTER INDEX %I.%I RENAME TO %I', index.schema, index.prepared, index.name);
        END IF;
        IF index.comment IS NOT NULL THEN
            EXECUTE format('COMMENT ON INDEX %I.%I IS %L', index.schema, index.name, index.comment);
        END IF;
    END LOOP;

    FOR reference IN SELECT * FROM company_references LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', reference.home, reference.conname, reference.definition);
    END LOOP;
    DROP TABLE company_references;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_lock(text, regclass[]), kernel.company_add(regclass[]), kernel.company_indexes(regclass[]),
    kernel.company_prepare(regclass[]), kernel.company_keep(regclass[]) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/company_keep.sql', '89436d1071b0f5b5');
