-- The shapes that texts of this domain must have, as kernel/0002_texts.sql has those of all.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

-- A telephone number reduced to what is dialled: digits, after `+` where the text has one. `+33 (0)6 12 …` names the
-- zero that is dialled at home only, so the first `(0)` of an international number goes.
CREATE FUNCTION public.telephone_compose(texte text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(
        CASE WHEN texte COLLATE "C" ~ '^(\+|00)' THEN regexp_replace(texte, '\(0\)', '') ELSE texte END,
        '[^+0-9]', '', 'g'
    );

CREATE FUNCTION public.est_telephone(texte text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN texte COLLATE "C" ~ '^\+?(\([0-9]+\)|[0-9])([ \u00A0\u202F./-]*(\([0-9]+\)|[0-9]))*$'
        AND public.telephone_compose(texte) COLLATE "C" ~ (
            '^(0[1-9][0-9]{8}'
            '|(\+|00)33[1-9][0-9]{8}'
            '|(\+|00)([124-9][0-9]|3[0-24-9])[0-9]{5,13})$'
        );
END
$$;

-- Five digits, or what other countries write: up to ten letters, digits, spaces and hyphens.
CREATE FUNCTION public.est_code_postal(texte text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN texte COLLATE "C" ~ '^[A-Za-z0-9]([A-Za-z0-9 -]{0,8}[A-Za-z0-9])?$';
END
$$;

-- Whether the fourteen digits of a SIRET carry their check digit: Luhn's sum, every second digit from the right
-- doubled (9 less above 9), is divisible by ten.
CREATE FUNCTION public.siret_luhn(chiffres text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
        SELECT sum(
            CASE WHEN rang % 2 = 1 THEN 2 * chiffre - CASE WHEN chiffre > 4 THEN 9 ELSE 0 END ELSE chiffre END
        ) % 10 = 0
        FROM (SELECT rang, substr(chiffres, rang, 1)::int AS chiffre FROM generate_series(1, 14) AS rang) AS chaque
    );

-- The offices of La Poste (SIREN 356000000) are too many for Luhn's sum: the plain sum of their digits is divisible
-- by five instead. Its seat carries an ordinary check digit.
CREATE FUNCTION public.siret_la_poste(chiffres text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN chiffres = '35600000000048'
        OR (SELECT sum(chiffre::int) % 5 = 0 FROM regexp_split_to_table(chiffres, '') AS chiffre);

CREATE FUNCTION public.est_siret(texte text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN CASE
        WHEN texte COLLATE "C" !~ '^[0-9]([ \u00A0\u202F]*[0-9]){13}$' THEN false
        WHEN regexp_replace(texte, '[^0-9]', '', 'g') LIKE '356000000%'
            THEN public.siret_la_poste(regexp_replace(texte, '[^0-9]', '', 'g'))
        ELSE public.siret_luhn(regexp_replace(texte, '[^0-9]', '', 'g'))
    END;
END
$$;

-- The number of a declaration of training activity.
CREATE FUNCTION public.est_nda(texte text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN texte COLLATE "C" ~ '^[0-9]{11}$';
END
$$;

-- VAT numbers inside the European Union, by member state (XI: Northern Ireland).
CREATE FUNCTION public.est_numero_tva(texte text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN texte COLLATE "C" ~ (
        '^(FR[0-9A-HJ-NP-Z]{2}[0-9]{9}'
        '|ATU[0-9]{8}'
        '|BE[01][0-9]{9}'
        '|BG[0-9]{9,10}'
        '|CY[0-9]{8}[A-Z]'
        '|CZ[0-9]{8,10}'
        '|DE[0-9]{9}'
        '|DK[0-9]{8}'
        '|EE[0-9]{9}'
        '|EL[0-9]{9}'
        '|ES([A-Z][0-9]{7}[A-Z0-9]|[0-9]{8}[A-Z])'
        '|FI[0-9]{8}'
        '|HR[0-9]{11}'
        '|HU[0-9]{8}'
        '|IE([0-9]{7}[A-Z]{1,2}|[0-9][A-Z+*][0-9]{5}[A-Z])'
        '|IT[0-9]{11}'
        '|LT([0-9]{9}|[0-9]{12})'
        '|LU[0-9]{8}'
        '|LV[0-9]{11}'
        '|MT[0-9]{8}'
        '|NL[0-9]{9}B[0-9]{2}'
        '|PL[0-9]{10}'
        '|PT[0-9]{9}'
        '|RO[0-9]{2,10}'
        '|SE[0-9]{12}'
        '|SI[0-9]{8}'
        '|SK[0-9]{10}'
        '|XI([0-9]{9}|[0-9]{12}|GD[0-4][0-9]{2}|HA[5-9][0-9]{2}))$'
    );
END
$$;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0001_shapes.sql') ON CONFLICT DO NOTHING;
