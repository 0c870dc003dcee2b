-- The shapes that values must have in every domain, and the order of texts. A shape is a function from a value to whether it
-- has the shape. The constraints of the tables use it; the server checks the same before it writes (Tests/Cases/rules.json
-- compares the two).
--
-- In PL/pgSQL on purpose: Postgres prepares every constraint of a table again for each statement that writes to it,
-- and putting the body of an SQL function in its place costs more then than a few calls do.
-- Classes are spelled out in ASCII: \d and \s would also take the digits and spaces of other scripts.

-- Whether anything can be seen of the text: it is neither empty nor made of spaces and control characters alone.
CREATE FUNCTION kernel.is_visible(value text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN btrim(
        value,
        E'\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10'
        '\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F\x7F'
        ' \u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008A\u008B\u008C\u008D\u008E\u008F'
        '\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009A\u009B\u009C\u009D\u009E\u009F'
        '\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200B'
        '\u2028\u2029\u202F\u205F\u3000\uFEFF'
    ) <> '';
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
