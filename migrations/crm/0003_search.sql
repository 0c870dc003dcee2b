-- The searchable texts.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against everything, while they are rewritten: they are new and empty

SELECT kernel.search_keep(
    'public.formateurs',
    $$kernel.without_accents(
        prenom || ' ' || nom || ' ' || coalesce(specialite, '') || ' ' || coalesce(societe, ''))$$);
SELECT kernel.search_keep(
    'public.clients',
    $$kernel.without_accents(raison_sociale || ' ' || coalesce(ville, '') || ' ' || coalesce(nom_contact, ''))$$);
SELECT kernel.search_keep(
    'public.ecoles', $$kernel.without_accents(nom || ' ' || coalesce(ville, '') || ' ' || coalesce(nom_contact, ''))$$);

SELECT kernel.search_keep('public.sessions');

-- The names of a trainer and of a client, by which a search finds their sessions. Numbered, because stored texts depend
-- on these functions.
CREATE FUNCTION public.nom_recherche(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN kernel.search_part((formateur).prenom || ' ' || (formateur).nom);

CREATE FUNCTION public.nom_recherche(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN kernel.search_part((client).raison_sociale);

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0003_search.sql') ON CONFLICT DO NOTHING;
