-- What the files in PNG and SVG show, as it was drawn once. Files that were given before are drawn when a document first shows
-- them.
--
-- Safe from: 1.0.0
-- Locks: nothing that is in use

CREATE TABLE kernel.file_pictures (
    file_id bigint CONSTRAINT file_pictures_pkey PRIMARY KEY
        CONSTRAINT file_pictures_file_id_fkey REFERENCES kernel.files (id) ON DELETE CASCADE,
    -- Null: the file cannot be drawn.
    png bytea
);

ALTER TABLE kernel.file_pictures ALTER COLUMN png SET STORAGE EXTERNAL;

COMMENT ON INDEX kernel.file_pictures_pkey IS 'primary key; foreign key';

GRANT SELECT ON kernel.file_pictures TO learntrack_auth;
ALTER TABLE kernel.file_pictures ENABLE ROW LEVEL SECURITY;
CREATE POLICY file_pictures_auth ON kernel.file_pictures FOR SELECT TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0190_file_pictures.sql') ON CONFLICT DO NOTHING;
