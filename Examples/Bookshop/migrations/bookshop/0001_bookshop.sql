-- Authors and books.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it
CREATE SCHEMA bookshop;

CREATE TABLE bookshop.authors (
    company_id bigint NOT NULL DEFAULT kernel.company(),
    id bigserial,
    name varchar(100) NOT NULL CONSTRAINT authors_name_check CHECK (kernel.is_visible(name)),
    CONSTRAINT authors_pkey PRIMARY KEY (company_id, id)
);
-- The default order. The server sorts names by the collation `francais`.
CREATE INDEX authors_name_idx ON bookshop.authors (company_id, name COLLATE public.francais, id);
SELECT kernel.table_keep('bookshop.authors');

CREATE TABLE bookshop.books (
    company_id bigint NOT NULL DEFAULT kernel.company(),
    id bigserial,
    title varchar(200) NOT NULL CONSTRAINT books_title_check CHECK (kernel.is_visible(title)),
    isbn varchar(13) CONSTRAINT books_isbn_check CHECK (isbn ~ '^[0-9]{13}$'),
    price numeric(6, 2) CONSTRAINT books_price_check CHECK (kernel.is_amount(price)),
    published date CONSTRAINT books_published_check CHECK (kernel.is_day(published)),
    reprinted date CONSTRAINT books_reprinted_check CHECK (kernel.is_day(reprinted)),
    author_id bigint NOT NULL,
    reader varchar(100),
    CONSTRAINT books_pkey PRIMARY KEY (company_id, id),
    CONSTRAINT books_author_id_fkey FOREIGN KEY (company_id, author_id) REFERENCES bookshop.authors (company_id, id),
    CONSTRAINT books_isbn_key UNIQUE (company_id, isbn),
    CONSTRAINT books_reprinted_after_published CHECK (reprinted > published)
);
-- The searchable text, stored with each book, and the index that finds parts of its words.
SELECT kernel.search_keep('bookshop.books', 'kernel.without_accents(title)');
CREATE INDEX books_title_idx ON bookshop.books (company_id, title COLLATE public.francais, id);
SELECT kernel.table_keep('bookshop.books');

-- What Access says.
SELECT kernel.rights_keep('bookshop.authors', 'learntrack_admin', readable => '*', created => '*', updated => '*', deletes => true);
SELECT kernel.rights_keep('bookshop.authors', 'learntrack_user', readable => '*');
SELECT kernel.rights_keep('bookshop.books', 'learntrack_admin', readable => '*',
    created => 'title, isbn, price, published, reprinted, author_id',
    updated => 'title, isbn, price, published, reprinted, author_id', deletes => true);
SELECT kernel.rights_keep('bookshop.books', 'learntrack_user', readable => '*');

-- The role in which the functions of commands run, and what they may do.
SELECT kernel.commands_role('bookshop');
SELECT kernel.rights_keep('bookshop.books', 'learntrack_bookshop_commands', readable => '*', updated => 'reader');

INSERT INTO kernel.migrations (domain, name) VALUES ('bookshop', '0001_bookshop.sql') ON CONFLICT DO NOTHING;
