-- What names are compared by: the trigrams of their words. The extension's schema is looked up, because some services keep
-- extensions out of public.
DO $$
DECLARE
    schema text := (
        SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm'
    );
BEGIN
    EXECUTE format(
        'CREATE FUNCTION public.trigrammes(nom text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE '
        'RETURN %s.show_trgm(nom)', schema);
    EXECUTE format(
        'CREATE FUNCTION public.ressemblance(nom text, autre text) RETURNS real LANGUAGE sql IMMUTABLE PARALLEL SAFE '
        'RETURN %s.similarity(nom, autre)', schema);
END
$$;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0010_names.sql') ON CONFLICT DO NOTHING;
