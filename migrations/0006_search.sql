-- Search: parts of words, whatever their case and accents.
--
-- Each table has a function from a row to its searchable text, without accents and in lower case, and a trigram
-- index on that very expression: `recherche(s) LIKE '%elodie%'` finds its rows through it. Postgres puts the
-- functions of rows in the place of their calls and compares what comes out with the indexes' expressions, so the
-- two must stay alike.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;

-- The text without accents and in lower case. Marked IMMUTABLE so that indexes may hold it, though unaccent() by
-- itself is not (an administrator may edit its rules, and must then REINDEX). PL/pgSQL, because it runs an
-- expression at half the price of an SQL function that Postgres cannot inline. What unaccent leaves is ASCII nearly
-- always, and lower() of the collation C is the cheapest; other scripts take the one that knows them.
--
-- The extension's schema is looked up: some services keep extensions out of public.
DO $$
BEGIN
    EXECUTE format(
        $function$
            CREATE FUNCTION public.sans_accents(texte text) RETURNS text
                LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
            AS $body$
            DECLARE
                nu text := %1$s.unaccent('%1$s.unaccent'::pg_catalog.regdictionary, texte);
            BEGIN
                IF pg_catalog.octet_length(nu) = pg_catalog.length(nu) THEN
                    RETURN pg_catalog.lower(nu COLLATE pg_catalog."C");
                END IF;
                RETURN pg_catalog.lower(nu COLLATE pg_catalog."und-x-icu");
            END
            $body$
        $function$,
        (SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension WHERE extname = 'unaccent')
    );
END
$$;

CREATE FUNCTION public.recherche(session public.sessions) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.sans_accents(
        (session).module || ' ' || coalesce((session).ref_contrat, '') || ' ' || coalesce((session).lieu, '')
    );

CREATE FUNCTION public.recherche(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.sans_accents(
        (formateur).prenom || ' ' || (formateur).nom || ' ' || coalesce((formateur).specialite, '')
        || ' ' || coalesce((formateur).societe, '')
    );

CREATE FUNCTION public.recherche(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.sans_accents(
        (client).raison_sociale || ' ' || coalesce((client).ville, '') || ' ' || coalesce((client).nom_contact, '')
    );

CREATE FUNCTION public.recherche(ecole public.ecoles) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.sans_accents(
        (ecole).nom || ' ' || coalesce((ecole).ville, '') || ' ' || coalesce((ecole).nom_contact, '')
    );

CREATE FUNCTION public.recherche(utilisateur public.users) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.sans_accents(coalesce((utilisateur).username, '') || ' ' || (utilisateur).email);

-- What a session is found by of its trainer and its client: their names.
CREATE FUNCTION public.nom_recherche(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.sans_accents((formateur).prenom || ' ' || (formateur).nom);

CREATE FUNCTION public.nom_recherche(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.sans_accents((client).raison_sociale);

-- Without fastupdate: a pending list makes searches scan it, and the planner then prefers to scan the table.
DO $$
DECLARE
    opclass text := (
        SELECT extnamespace::regnamespace::text || '.gin_trgm_ops'
        FROM pg_catalog.pg_extension
        WHERE extname = 'pg_trgm'
    );
    wanted record;
BEGIN
    FOR wanted IN
        VALUES
            ('sessions', 'sessions_recherche_idx',
                'module || '' '' || coalesce(ref_contrat, '''') || '' '' || coalesce(lieu, '''')'),
            ('formateurs', 'formateurs_recherche_idx',
                'prenom || '' '' || nom || '' '' || coalesce(specialite, '''') || '' '' || coalesce(societe, '''')'),
            ('formateurs', 'formateurs_nom_recherche_idx', 'prenom || '' '' || nom'),
            ('clients', 'clients_recherche_idx',
                'raison_sociale || '' '' || coalesce(ville, '''') || '' '' || coalesce(nom_contact, '''')'),
            ('clients', 'clients_nom_recherche_idx', 'raison_sociale'),
            ('ecoles', 'ecoles_recherche_idx',
                'nom || '' '' || coalesce(ville, '''') || '' '' || coalesce(nom_contact, '''')'),
            ('users', 'users_recherche_idx', 'coalesce(username, '''') || '' '' || email')
    LOOP
        EXECUTE format(
            'CREATE INDEX %I ON public.%I USING gin (public.sans_accents(%s) %s) WITH (fastupdate = off)',
            wanted.column2, wanted.column1, wanted.column3, opclass
        );
    END LOOP;
END
$$;

INSERT INTO public.learntrack_migrations (name) VALUES ('0006_search.sql') ON CONFLICT DO NOTHING;
