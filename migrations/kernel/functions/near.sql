-- Searches for what is near: texts with a word that resembles the one that is searched for.
--
-- The operator with an index is `%>` of pg_trgm. Its threshold is a setting, which a statement sets for itself before it
-- reads. 0.4 finds a word with a letter too many, too few, wrong, or in the wrong place, if the rest has some five letters.
--
-- The extension's schema is looked up: some services keep extensions out of public.
DO $$
DECLARE
    schema text := (
        SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm'
    );
BEGIN
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION kernel.is_near(value text, word text) RETURNS boolean LANGUAGE sql STABLE '
        'PARALLEL SAFE RETURN value OPERATOR(%s.%%>) word', schema);
    -- From 0 to 1: how much of the word stands in one place of the text.
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION kernel.nearness(value text, word text) RETURNS real LANGUAGE sql IMMUTABLE '
        'PARALLEL SAFE RETURN %s.word_similarity(word, value)', schema);
END
$$;

CREATE OR REPLACE FUNCTION kernel.near_threshold() RETURNS boolean
    LANGUAGE sql VOLATILE
    RETURN set_config('pg_trgm.word_similarity_threshold', '0.4', true) IS NOT NULL;

SELECT kernel.note_file('kernel', 'functions/near.sql', '5657dfed5fb0be2d');
