-- Keeps what was drawn of a file of the company, null if it cannot be drawn, unless a picture is kept or the file is gone.
CREATE OR REPLACE FUNCTION kernel.file_picture_keep(file bigint, drawn bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO kernel.file_pictures (company_id, file_id, png)
    SELECT f.company_id, f.id, drawn FROM kernel.files AS f WHERE f.company_id = kernel.company() AND f.id = file
    ON CONFLICT (company_id, file_id) DO UPDATE SET png = excluded.png
        WHERE file_pictures.png IS NULL AND excluded.png IS NOT NULL
$$;

-- What the function of before relied on.
ALTER TABLE kernel.file_pictures DROP CONSTRAINT IF EXISTS file_pictures_file_id_key;

REVOKE EXECUTE ON FUNCTION kernel.file_picture_keep(bigint, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.file_picture_keep(bigint, bytea) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/file_picture_keep.sql', '714e00611fbcce2f');
