-- Control characters show nothing, so a text of them alone is as blank as one of spaces alone.
CREATE OR REPLACE FUNCTION public.est_visible(texte text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN btrim(
        texte,
        E'\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10'
        '\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F\x7F'
        ' \u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008A\u008B\u008C\u008D\u008E\u008F'
        '\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009A\u009B\u009C\u009D\u009E\u009F'
        '\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200B'
        '\u2028\u2029\u202F\u205F\u3000\uFEFF'
    ) <> '';
END
$$;

INSERT INTO public.learntrack_migrations (name) VALUES ('0021_visible_text.sql') ON CONFLICT DO NOTHING;
