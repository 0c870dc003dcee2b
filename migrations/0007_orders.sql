-- Orders: how French people sort names, and the indexes that let a list begin and go on in its order without
-- sorting, so that its thousandth page costs what its first does.

-- Accents and case aside, so that the next term decides: `Lefèvre Anne` before `Lefevre Zoé`. Used in ORDER BY and
-- here only: LIKE refuses a collation that takes different texts for equal.
CREATE COLLATION public.francais (provider = icu, locale = 'fr-u-ks-level1', deterministic = false);

-- Default orders of several columns.
CREATE INDEX sessions_ordre_idx ON public.sessions (date DESC, debut, id);
CREATE INDEX formateurs_ordre_idx
    ON public.formateurs (nom COLLATE public.francais, prenom COLLATE public.francais, id);

-- Every single column, ties by id; those of the foreign keys serve the relations as well, and (date, id) read
-- backwards gives the newest first.
--
-- What sorts as a name has the French collation, the words of a choice do not. A text of any length is sorted by its
-- first 200 characters: a whole one may be longer than an index takes.
DO $$
DECLARE
    wanted record;
BEGIN
    FOR wanted IN
        SELECT
            relname AS name,
            attname AS column,
            CASE WHEN atttypid = 'text'::regtype THEN format('left(%I, 200)', attname) ELSE quote_ident(attname) END
            || CASE WHEN attcollation <> 0 AND attname NOT IN ('modalite', 'role') THEN ' COLLATE public.francais'
                ELSE '' END AS key
        FROM pg_catalog.pg_attribute
        JOIN pg_catalog.pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace
            AND relname IN ('sessions', 'formateurs', 'clients', 'ecoles', 'users')
            AND attnum > 0
            AND NOT attisdropped
            AND attname <> 'id'
            AND (relname, attname) <> ('sessions', 'client_id')
        ORDER BY relname, attnum
    LOOP
        EXECUTE format('CREATE INDEX %I ON public.%I (%s, id)',
            wanted.name || '_' || wanted.column || '_idx', wanted.name, wanted.key);
    END LOOP;
END
$$;

-- The same of a session's client, with the price that its turnover adds up.
CREATE INDEX sessions_client_id_idx ON public.sessions (client_id, id) INCLUDE (tarif_client);

-- The other direction, of sessions alone (the other tables are sorted in a millisecond). An index read backwards
-- has the ids of equal values backwards too, which matters where few values stand for many rows, and nulls first,
-- where lists have them last.
CREATE INDEX sessions_debut_desc_idx ON public.sessions (debut DESC, id);
CREATE INDEX sessions_fin_desc_idx ON public.sessions (fin DESC, id);
CREATE INDEX sessions_modalite_desc_idx ON public.sessions (modalite DESC, id);
CREATE INDEX sessions_version_desc_idx ON public.sessions (version DESC, id);
CREATE INDEX sessions_lieu_desc_idx ON public.sessions (left(lieu, 200) COLLATE public.francais DESC NULLS LAST, id);
CREATE INDEX sessions_tarif_client_desc_idx ON public.sessions (tarif_client DESC NULLS LAST, id);
CREATE INDEX sessions_tarif_sous_traitant_desc_idx ON public.sessions (tarif_sous_traitant DESC NULLS LAST, id);
CREATE INDEX sessions_frais_rembourser_desc_idx ON public.sessions (frais_rembourser DESC NULLS LAST, id);
CREATE INDEX sessions_ref_contrat_desc_idx ON public.sessions (ref_contrat COLLATE public.francais DESC NULLS LAST, id);
CREATE INDEX sessions_ecole_id_desc_idx ON public.sessions (ecole_id DESC NULLS LAST, id);
CREATE INDEX sessions_client_id_desc_idx ON public.sessions (client_id DESC NULLS LAST, id);
CREATE INDEX sessions_formateur_id_desc_idx ON public.sessions (formateur_id DESC NULLS LAST, id);

INSERT INTO public.learntrack_migrations (name) VALUES ('0007_orders.sql') ON CONFLICT DO NOTHING;
