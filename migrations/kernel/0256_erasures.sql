-- A company whose removal has begun is never served again: a run of learntrack companies erase that was stopped is run again.
--
-- And its name is one line of characters that people see: operators read it in lists, and members in mails.
--
-- Safe from: 1.0.0
-- Locks: kernel.companies against everything, for a moment

SELECT kernel.company_lock('ACCESS EXCLUSIVE', 'kernel.companies');

ALTER TABLE kernel.companies
    ADD COLUMN erasing_at timestamptz,
    ADD CONSTRAINT companies_erasing_check CHECK (erasing_at IS NULL OR suspended_at IS NOT NULL);
COMMENT ON COLUMN kernel.companies.erasing_at IS 'since when its rows are being removed; null: they are not';

CREATE FUNCTION kernel.is_line(value text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Control characters, separators of lines, and what turns the direction of text or shows nothing.
    RETURN value COLLATE "C" !~ '[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]'
        AND value = btrim(value, ' ' || chr(160) || chr(8239));
END
$$;

UPDATE kernel.companies AS c
SET name = coalesce(
    nullif(
        btrim(
            regexp_replace(
                c.name COLLATE "C",
                '[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]+', ' ', 'g'),
            ' ' || chr(160) || chr(8239)), ''),
    'Société ' || c.id)
WHERE NOT kernel.is_line(c.name);

ALTER TABLE kernel.companies
    DROP CONSTRAINT companies_name_check,
    ADD CONSTRAINT companies_name_check CHECK (kernel.is_visible(name) AND kernel.is_line(name));

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0256_erasures.sql') ON CONFLICT DO NOTHING;
