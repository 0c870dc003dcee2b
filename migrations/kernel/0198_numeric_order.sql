-- Numbers within texts are ordered by their value: `Session 64` before `Session 632`.
--
-- The collation keeps its name, by which queries and the indexes of domains ask for it. The one before stays under another name:
-- connections that have planned a statement with it go on. Indexes are made anew with the new one, those of all domains.
--
-- Safe from: 1.0.0
-- Locks: the tables with names against writes, while their indexes are built: seconds for a million rows; then against everything,
-- for a moment

ALTER COLLATION public.francais RENAME TO francais_chiffre_par_chiffre;
CREATE COLLATION public.francais (provider = icu, locale = 'fr-u-kn-ks-level1', deterministic = false);

DO $$
DECLARE
    own record;
    -- A name that no index has: it is only used until the index before is gone.
    other text := 'francais_' || gen_random_uuid() || '_';
    made text[] := '{}';
BEGIN
    -- All are built before one is dropped, so that reads go on.
    FOR own IN
        SELECT n.nspname AS schema, c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition,
            obj_description(i.indexrelid, 'pg_class') AS comment, row_number() OVER () AS number
        FROM pg_index AS i
        JOIN pg_class AS c ON c.oid = i.indexrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE 'public.francais_chiffre_par_chiffre'::regcollation = ANY (i.indcollation)
            AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid)
    LOOP
        EXECUTE replace(
            replace(own.definition, 'francais_chiffre_par_chiffre', 'francais'),
            format(' INDEX %I ON ', own.name), format(' INDEX %I ON ', other || own.number));
        made := made || format('DROP INDEX %I.%I', own.schema, own.name)
            || format('ALTER INDEX %I.%I RENAME TO %I', own.schema, other || own.number, own.name);
        IF own.comment IS NOT NULL THEN
            made := made || format('COMMENT ON INDEX %I.%I IS %L', own.schema, own.name, own.comment);
        END IF;
    END LOOP;
    FOR own IN SELECT unnest(made) AS statement LOOP
        EXECUTE own.statement;
    END LOOP;
END
$$;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0198_numeric_order.sql') ON CONFLICT DO NOTHING;
