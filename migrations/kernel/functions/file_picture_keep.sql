-- Keeps what was drawn of a file, null if it cannot be drawn, unless a picture is kept or the file is gone.
CREATE OR REPLACE FUNCTION kernel.file_picture_keep(file bigint, drawn bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO kernel.file_pictures (file_id, png) SELECT f.id, drawn FROM kernel.files AS f WHERE f.id = file
    ON CONFLICT (file_id) DO UPDATE SET png = excluded.png
        WHERE file_pictures.png IS NULL AND excluded.png IS NOT NULL
$$;

REVOKE EXECUTE ON FUNCTION kernel.file_picture_keep(bigint, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.file_picture_keep(bigint, bytea) TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/file_picture_keep.sql', '8320ddeef3716bba');
