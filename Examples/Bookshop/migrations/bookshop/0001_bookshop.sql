-- Safe from: 1.0.0
-- Locks: nothing that exists before it
CREATE SCHEMA bookshop;
GRANT USAGE ON SCHEMA bookshop TO learntrack_user, learntrack_admin;

CREATE TABLE bookshop.authors (
    id bigserial CONSTRAINT authors_pkey PRIMARY KEY,
    name varchar(100) NOT NULL CONSTRAINT authors_name_check CHECK (kernel.is_visible(name)),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

CREATE TABLE bookshop.books (
    id bigserial CONSTRAINT books_pkey PRIMARY KEY,
    title varchar(200) NOT NULL CONSTRAINT books_title_check CHECK (kernel.is_visible(title)),
    isbn varchar(13) CONSTRAINT books_isbn_key UNIQUE CONSTRAINT books_isbn_check CHECK (isbn ~ '^[0-9]{13}$'),
    price decimal(6, 2) CONSTRAINT books_price_check CHECK (kernel.is_amount(price)),
    published date CONSTRAINT books_published_check CHECK (kernel.is_day(published)),
    reprinted date CONSTRAINT books_reprinted_check CHECK (kernel.is_day(reprinted)),
    author_id bigint NOT NULL CONSTRAINT books_author_id_fkey REFERENCES bookshop.authors (id),
    reader varchar(100) CONSTRAINT books_reader_check CHECK (kernel.is_visible(reader)),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1,
    CONSTRAINT books_reprinted_after_published CHECK (reprinted > published)
);

-- The counter `version` and the time of the last change.
CREATE TRIGGER authors_change BEFORE UPDATE ON bookshop.authors
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER books_change BEFORE UPDATE ON bookshop.books
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();

-- The searchable text, stored with each book, and the index that finds parts of its words.
SELECT kernel.search_keep('bookshop.books', 'kernel.without_accents(title)');

-- The default orders, and the books of an author. The server sorts names by the collation `francais`.
CREATE INDEX authors_name_idx ON bookshop.authors (name COLLATE public.francais, id);
CREATE INDEX books_title_idx ON bookshop.books (title COLLATE public.francais, id);
CREATE INDEX books_author_id_idx ON bookshop.books (author_id, id);

-- The rights of Access: operations by grants, and a policy for each role, since row-level security is on. No role may
-- write the columns that the database maintains.
GRANT SELECT ON bookshop.authors, bookshop.books TO learntrack_user, learntrack_admin;
GRANT INSERT (name), UPDATE (name), DELETE ON bookshop.authors TO learntrack_admin;
GRANT
    INSERT (title, isbn, price, published, reprinted, author_id),
    UPDATE (title, isbn, price, published, reprinted, author_id),
    DELETE ON bookshop.books TO learntrack_admin;
GRANT USAGE ON SEQUENCE bookshop.authors_id_seq, bookshop.books_id_seq TO learntrack_admin;
ALTER TABLE bookshop.authors ENABLE ROW LEVEL SECURITY;
ALTER TABLE bookshop.books ENABLE ROW LEVEL SECURITY;
CREATE POLICY authors_user ON bookshop.authors FOR SELECT TO learntrack_user USING (true);
CREATE POLICY authors_admin ON bookshop.authors TO learntrack_admin USING (true);
CREATE POLICY books_user ON bookshop.books FOR SELECT TO learntrack_user USING (true);
CREATE POLICY books_admin ON bookshop.books TO learntrack_admin USING (true);

-- The role that owns the functions of commands, and what they may do.
SELECT kernel.commands_role('bookshop');
GRANT USAGE ON SCHEMA bookshop TO learntrack_bookshop_commands;
GRANT SELECT, UPDATE (reader) ON bookshop.books TO learntrack_bookshop_commands;
CREATE POLICY books_commands ON bookshop.books TO learntrack_bookshop_commands USING (true);

-- The journal of both tables, and with it authors.history and books.history.
SELECT kernel.journal_keep('bookshop.authors');
SELECT kernel.journal_keep('bookshop.books');

-- Their writes show in the change feed.
SELECT kernel.feed_keep('bookshop.authors');
SELECT kernel.feed_keep('bookshop.books');

INSERT INTO kernel.migrations (domain, name) VALUES ('bookshop', '0001_bookshop.sql') ON CONFLICT DO NOTHING;
