-- The database role of readers. They read authors and books, too.
--
-- Safe from: 1.0.0
-- Locks: authors and books against everything, for a moment
SELECT kernel.role_keep('learntrack_bookshop_reader');
GRANT USAGE ON SCHEMA bookshop TO learntrack_bookshop_reader;
GRANT SELECT ON bookshop.authors, bookshop.books TO learntrack_bookshop_reader;
CREATE POLICY authors_reader ON bookshop.authors FOR SELECT TO learntrack_bookshop_reader USING (true);
CREATE POLICY books_reader ON bookshop.books FOR SELECT TO learntrack_bookshop_reader USING (true);

CREATE TABLE bookshop.readers (
    id bigserial CONSTRAINT readers_pkey PRIMARY KEY,
    name varchar(100) NOT NULL CONSTRAINT readers_name_check CHECK (kernel.is_visible(name)),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

CREATE TABLE bookshop.wishes (
    id bigserial CONSTRAINT wishes_pkey PRIMARY KEY,
    reader_id bigint NOT NULL CONSTRAINT wishes_reader_id_fkey REFERENCES bookshop.readers (id),
    book_id bigint NOT NULL CONSTRAINT wishes_book_id_fkey REFERENCES bookshop.books (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

CREATE TRIGGER readers_change BEFORE UPDATE ON bookshop.readers
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER wishes_change BEFORE UPDATE ON bookshop.wishes
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();

CREATE INDEX readers_name_idx ON bookshop.readers (name COLLATE public.francais, id);
CREATE INDEX wishes_reader_id_idx ON bookshop.wishes (reader_id, id);
CREATE INDEX wishes_book_id_idx ON bookshop.wishes (book_id, id);

-- The server fills reader_id, hence the right to insert includes it. The policy repeats what `.own` says.
GRANT SELECT ON bookshop.readers, bookshop.wishes TO learntrack_admin, learntrack_bookshop_reader;
GRANT INSERT (name), UPDATE (name), DELETE ON bookshop.readers TO learntrack_admin;
GRANT INSERT (reader_id, book_id), DELETE ON bookshop.wishes TO learntrack_admin, learntrack_bookshop_reader;
GRANT USAGE ON SEQUENCE bookshop.readers_id_seq TO learntrack_admin;
GRANT USAGE ON SEQUENCE bookshop.wishes_id_seq TO learntrack_admin, learntrack_bookshop_reader;
ALTER TABLE bookshop.readers ENABLE ROW LEVEL SECURITY;
ALTER TABLE bookshop.wishes ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers_admin ON bookshop.readers TO learntrack_admin USING (true);
CREATE POLICY readers_reader ON bookshop.readers FOR SELECT TO learntrack_bookshop_reader USING (id = kernel.subject());
CREATE POLICY wishes_admin ON bookshop.wishes TO learntrack_admin USING (true);
CREATE POLICY wishes_reader ON bookshop.wishes TO learntrack_bookshop_reader USING (reader_id = kernel.subject());

SELECT kernel.journal_keep('bookshop.readers');
SELECT kernel.journal_keep('bookshop.wishes');

-- The change feed shows a reader the changes of their own records.
SELECT kernel.feed_keep('bookshop.readers', 'id');
SELECT kernel.feed_keep('bookshop.wishes', 'reader_id');

INSERT INTO kernel.migrations (domain, name) VALUES ('bookshop', '0002_readers.sql') ON CONFLICT DO NOTHING;
