-- Files, their bytes and pictures, and what names them belong to a company, in their keys and in what refers to them: the same
-- bytes in two companies are two files, and no record names a file of another company.
--
-- The bytes are not written anew. files_id_key is for the migrations of domains that say `REFERENCES kernel.files (id)`: on a new
-- database they come after this one. Tables whose rows belong to companies refer to (company_id, id) once kernel.company_keep has
-- them.
--
-- Safe from: 1.0.0
-- Locks: the tables of files, and those with columns that name files, against everything: a second for 100,000 files

-- Calls hold locks of several of these tables in orders of their own: as kernel.company_lock, which a database of before may lack.
DO $$
DECLARE
    waited text := current_setting('lock_timeout');
    names text := (
        SELECT string_agg(DISTINCT k.conrelid::regclass::text, ', ') FROM pg_catalog.pg_constraint AS k
        WHERE k.contype = 'f' AND k.confrelid = 'kernel.files'::regclass);
BEGIN
    PERFORM set_config('lock_timeout', '200ms', true);
    FOR attempt IN 1..600 LOOP
        BEGIN
            EXECUTE format('LOCK TABLE kernel.files, %s IN ACCESS EXCLUSIVE MODE', names);
            PERFORM set_config('lock_timeout', waited, true);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            PERFORM pg_sleep(random() * 0.2);
        END;
    END LOOP;
    RAISE EXCEPTION 'other transactions keep the tables % locked', names
        USING ERRCODE = 'lock_not_available', HINT = 'Apply the migration again when they have ended.';
END
$$;

ALTER TABLE kernel.files ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company();
ALTER TABLE kernel.file_bytes ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company();
ALTER TABLE kernel.file_pictures ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company();
ALTER TABLE kernel.listed_files ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company();
GRANT SELECT (company_id) ON kernel.files TO PUBLIC;

-- The foreign keys are made anew when the keys are there that they refer to. That of a table without a company stays as it is.
CREATE TEMPORARY TABLE file_references ON COMMIT DROP AS
    SELECT k.conrelid::regclass AS home, k.conname,
        CASE WHEN c.attnum IS NULL THEN pg_get_constraintdef(k.oid) ELSE
            regexp_replace(
                regexp_replace(
                    regexp_replace(pg_get_constraintdef(k.oid), '^FOREIGN KEY \(', 'FOREIGN KEY (company_id, '),
                    '(REFERENCES [^(]+\()', '\1company_id, '),
                -- The company of a row stays.
                'ON DELETE SET (NULL|DEFAULT)(?! \()', format('ON DELETE SET \1 (%I)', f.attname))
        END AS definition
    FROM pg_catalog.pg_constraint AS k
    JOIN pg_catalog.pg_attribute AS f ON f.attrelid = k.conrelid AND f.attnum = k.conkey[1]
    LEFT JOIN pg_catalog.pg_attribute AS c ON c.attrelid = k.conrelid AND c.attname = 'company_id'
    WHERE k.contype = 'f' AND k.confrelid = 'kernel.files'::regclass;

DO $$
DECLARE
    reference record;
BEGIN
    FOR reference IN SELECT * FROM file_references LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', reference.home, reference.conname);
    END LOOP;
END
$$;

ALTER TABLE kernel.files
    DROP CONSTRAINT files_pkey, ADD CONSTRAINT files_pkey PRIMARY KEY (company_id, id),
    ADD CONSTRAINT files_id_key UNIQUE (id),
    DROP CONSTRAINT files_account_id_key, ADD CONSTRAINT files_account_id_key UNIQUE (company_id, account_id, sha256);
ALTER TABLE kernel.file_bytes
    DROP CONSTRAINT file_bytes_pkey, ADD CONSTRAINT file_bytes_pkey PRIMARY KEY (company_id, file_id);
-- functions/file_picture_keep.sql drops file_pictures_file_id_key, when it does not need it any more: calls go on between the two
-- files.
ALTER TABLE kernel.file_pictures
    DROP CONSTRAINT file_pictures_pkey, ADD CONSTRAINT file_pictures_pkey PRIMARY KEY (company_id, file_id),
    ADD CONSTRAINT file_pictures_file_id_key UNIQUE (file_id);
ALTER TABLE kernel.listed_files
    DROP CONSTRAINT listed_files_pkey,
    ADD CONSTRAINT listed_files_pkey PRIMARY KEY (company_id, file_id, home, record_id, field, member);

DROP INDEX kernel.files_given_at_idx, kernel.listed_files_home_idx;
CREATE INDEX files_given_at_idx ON kernel.files (company_id, given_at);
CREATE INDEX listed_files_home_idx ON kernel.listed_files (company_id, home, record_id);

DO $$
DECLARE
    reference record;
BEGIN
    FOR reference IN SELECT * FROM file_references LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', reference.home, reference.conname, reference.definition);
    END LOOP;
END
$$;
DROP TABLE file_references;

COMMENT ON INDEX kernel.files_pkey IS 'primary key';
COMMENT ON INDEX kernel.files_id_key IS 'unique; foreign keys of tables without a company';
COMMENT ON INDEX kernel.files_account_id_key IS 'the same bytes of one account are one file of a company; what an account gave';
COMMENT ON INDEX kernel.files_given_at_idx IS 'files that are old enough to go';
COMMENT ON INDEX kernel.file_bytes_pkey IS 'primary key; foreign key';
COMMENT ON INDEX kernel.file_pictures_pkey IS 'primary key; foreign key';
COMMENT ON INDEX kernel.listed_files_pkey IS 'primary key; foreign key';
COMMENT ON INDEX kernel.listed_files_home_idx IS 'the files of a record that changes or is deleted';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0217_file_company.sql') ON CONFLICT DO NOTHING;
