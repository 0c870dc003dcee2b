-- The shapes that values must have in every domain, and the order of texts. A shape is a function from a value to whether it
-- has the shape. The constraints of the tables use it; the server checks the same before it writes (Tests/Cases/rules.json
-- compares the two).
--
-- In PL/pgSQL on purpose: Postgres prepares every constraint of a table again for each statement that writes to it,
-- and putting the body of an SQL function in its place costs more then than a few calls do.
-- Classes are spelled out in ASCII: \d and \s would also take the digits and spaces of other scripts.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

-- Whether anything can be seen of the text: it is neither empty nor made of control characters, white space and what Unicode
-- calls default ignorable alone, such as U+00AD SOFT HYPHEN and U+200B ZERO WIDTH SPACE.
CREATE FUNCTION kernel.is_visible(value text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN value COLLATE "C" ~ (
        '[^\u0001-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F'
        '\u2028-\u202F\u205F-\u206F\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8'
        '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]');
END
$$;

CREATE FUNCTION kernel.is_email(value text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN value COLLATE "C" ~ (
            '^[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*'
            '@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+'
            '([A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{0,57}[A-Za-z0-9])$'
        )
        AND position('@' in value) <= 65;
END
$$;

-- Whether RFC 3339 can write the instant: four digits of a year.
CREATE FUNCTION kernel.is_instant(value timestamptz) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN value >= '0001-01-01 00:00:00+00' AND value < '10000-01-01 00:00:00+00';
END
$$;

-- Accents and case aside, so that the next term decides: `Lefèvre Anne` before `Lefevre Zoé`. Used in ORDER BY and
-- here only: LIKE refuses a collation that takes different texts for equal.
CREATE COLLATION public.francais (provider = icu, locale = 'fr-u-ks-level1', deterministic = false);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0002_texts.sql') ON CONFLICT DO NOTHING;
