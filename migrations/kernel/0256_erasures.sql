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
    -- No control characters, separators of lines or turns of the direction of text, and no space at either end.
    RETURN value COLLATE "C" !~ (
        '[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]'
        '|^[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]|[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$');
END
$$;

UPDATE kernel.companies AS c
SET name = coalesce(
    nullif(
        regexp_replace(
            regexp_replace(
                c.name COLLATE "C",
                '[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]+', ' ', 'g'),
            '^[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+|[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+$', '', 'g'),
        ''),
    'Société ' || c.id)
WHERE NOT kernel.is_line(c.name);

ALTER TABLE kernel.companies
    DROP CONSTRAINT companies_name_check,
    ADD CONSTRAINT companies_name_check CHECK (kernel.is_visible(name) AND kernel.is_line(name));

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0256_erasures.sql') ON CONFLICT DO NOTHING;
