-- Files that values inside a jsonb column name, such as the photos of a note: which record names which file. A foreign key leads
-- from here to the file, as one leads from a column that names a file.
--
-- Safe from: 1.0.0
-- Locks: files against writes, for a moment; all else is new

CREATE TABLE kernel.listed_files (
    file_id bigint NOT NULL CONSTRAINT listed_files_file_id_fkey REFERENCES kernel.files (id),
    -- The table, and the record by its id.
    home regclass NOT NULL,
    record_id bigint NOT NULL,
    -- The column, and the member of its objects; '' if its elements are the files' ids.
    field name NOT NULL,
    member name NOT NULL,
    CONSTRAINT listed_files_pkey PRIMARY KEY (file_id, home, record_id, field, member)
);

CREATE INDEX listed_files_home_idx ON kernel.listed_files (home, record_id);

COMMENT ON INDEX kernel.listed_files_pkey IS 'primary key; foreign key';
COMMENT ON INDEX kernel.listed_files_home_idx IS 'the files of a record that changes or is deleted';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0204_listed_files.sql') ON CONFLICT DO NOTHING;
