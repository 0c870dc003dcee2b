-- Derived fields: what can be read of a row without being stored in it, each a function of the row.
--
-- Bodies are SQL-standard (RETURN …): no search_path can change their meaning, and Postgres puts them in the place
-- of the call, so that a list pays for an expression and not for a function. Only the ones that read other rows
-- (nombre_sessions, ca_total) stay calls, each one index scan.

-- From a telephone number of the shape that est_telephone takes to the link that dials it: `tel:+33612345678`. The
-- overseas departments have country codes of their own; 06 39 98, inside Mayotte's range, is reserved for fiction and
-- stays an ordinary number.
CREATE FUNCTION public.lien_telephone(telephone text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 'tel:' || regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(public.telephone_compose(telephone), '^00', '+'),
                        '^0(262|263|269|639(?!98)|692|693)', '+262\1'
                    ),
                    '^0(590|690|691)', '+590\1'
                ),
                '^0(594|694)', '+594\1'
            ),
            '^0(596|696|697)', '+596\1'
        ),
        '^0', '+33'
    );

-- The text on one line, without spaces around it; null when nothing is left.
CREATE FUNCTION public.sur_une_ligne(texte text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN nullif(btrim(regexp_replace(texte, E'[ \\t\\n\\v\\f\\r\u0085\u2028\u2029]+', ' ', 'g')), '');

CREATE FUNCTION public.adresse_complete(rue text, code_postal text, ville text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(
        concat_ws(
            ', ',
            public.sur_une_ligne(rue),
            public.sur_une_ligne(concat_ws(' ', code_postal, ville))
        ),
        ''
    );

-- The first letter or digit of a text, in upper case, its accent kept.
CREATE FUNCTION public.premiere_lettre(texte text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN upper(substring(normalize(texte) COLLATE "und-x-icu" FROM '[[:alnum:]]'));

-- The first letters of the first two words of a name; `Dupont & Fils` gives `DF`, a single word one letter.
CREATE FUNCTION public.initiales_du_nom(nom text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(public.premiere_lettre(nom), '') || coalesce(
        upper(substring(
            normalize(nom) COLLATE "und-x-icu" FROM '^[^[:alnum:]]*[[:alnum:]][^[:space:]]*[[:space:]]+[^[:alnum:]]*([[:alnum:]])'
        )),
        ''
    );

CREATE FUNCTION public.telephone_uri(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((formateur).telephone);

CREATE FUNCTION public.telephone_uri(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((client).telephone);

CREATE FUNCTION public.telephone_uri(ecole public.ecoles) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((ecole).telephone);

CREATE FUNCTION public.adresse(formateur public.formateurs) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN public.adresse_complete((formateur).rue, (formateur).code_postal, (formateur).ville);

CREATE FUNCTION public.adresse(client public.clients) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN public.adresse_complete((client).rue, (client).code_postal, (client).ville);

CREATE FUNCTION public.adresse(ecole public.ecoles) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN public.adresse_complete((ecole).rue, (ecole).code_postal, (ecole).ville);

-- What a session leaves: null while its price is unknown; a cost that is unknown counts as none.
CREATE FUNCTION public.marge(session public.sessions) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (session).tarif_client
        - coalesce((session).tarif_sous_traitant, 0)
        - coalesce((session).frais_rembourser, 0);

CREATE FUNCTION public.duree_minutes(session public.sessions) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN floor(extract(epoch FROM (session).fin - (session).debut) / 60)::integer;

-- The time on the wall clock of the place that the setting `learntrack.time_zone` names, Paris unless it is set.
CREATE FUNCTION public.heure_locale() RETURNS timestamp
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN now() AT TIME ZONE coalesce(nullif(current_setting('learntrack.time_zone', true), ''), 'Europe/Paris');

CREATE FUNCTION public.statut(session public.sessions) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE
        WHEN public.heure_locale() < (session).date + (session).debut THEN 'a_venir'
        WHEN public.heure_locale() < (session).date + (session).fin THEN 'en_cours'
        ELSE 'terminee'
    END;

CREATE FUNCTION public.nom_complet(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (formateur).prenom || ' ' || (formateur).nom;

CREATE FUNCTION public.initiales(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(public.premiere_lettre((formateur).prenom), '')
        || coalesce(public.premiere_lettre((formateur).nom), '');

CREATE FUNCTION public.initiales(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.initiales_du_nom((client).raison_sociale);

CREATE FUNCTION public.initiales(ecole public.ecoles) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.initiales_du_nom((ecole).nom);

CREATE FUNCTION public.nombre_sessions(formateur public.formateurs) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT count(*) FROM public.sessions AS s WHERE s.formateur_id = (formateur).id);

CREATE FUNCTION public.nombre_sessions(client public.clients) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT count(*) FROM public.sessions AS s WHERE s.client_id = (client).id);

CREATE FUNCTION public.nombre_sessions(ecole public.ecoles) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT count(*) FROM public.sessions AS s WHERE s.ecole_id = (ecole).id);

CREATE FUNCTION public.ca_total(client public.clients) RETURNS numeric
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT coalesce(sum(s.tarif_client), 0) FROM public.sessions AS s WHERE s.client_id = (client).id);

INSERT INTO public.learntrack_migrations (name) VALUES ('0005_derived.sql') ON CONFLICT DO NOTHING;
