-- Readers with their wishes, and the database role of readers. They read authors and books, too.
--
-- Safe from: 1.0.0
-- Locks: authors and books against everything, for a moment
SELECT kernel.role_keep('learntrack_bookshop_reader');

CREATE TABLE bookshop.readers (
    company_id bigint NOT NULL DEFAULT kernel.company(),
    id bigserial,
    name varchar(100) NOT NULL CONSTRAINT readers_name_check CHECK (kernel.is_visible(name)),
    CONSTRAINT readers_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX readers_name_idx ON bookshop.readers (company_id, name COLLATE public.francais, id);
-- The change feed shows a reader the changes of their own records.
SELECT kernel.table_keep('bookshop.readers', own_columns => '{id}');

CREATE TABLE bookshop.wishes (
    company_id bigint NOT NULL DEFAULT kernel.company(),
    id bigserial,
    reader_id bigint NOT NULL,
    book_id bigint NOT NULL,
    CONSTRAINT wishes_pkey PRIMARY KEY (company_id, id),
    CONSTRAINT wishes_reader_id_fkey FOREIGN KEY (company_id, reader_id) REFERENCES bookshop.readers (company_id, id),
    CONSTRAINT wishes_book_id_fkey FOREIGN KEY (company_id, book_id) REFERENCES bookshop.books (company_id, id)
);
SELECT kernel.table_keep('bookshop.wishes', own_columns => '{reader_id}');

-- `own` repeats what `.own` says. The server fills reader_id, hence the right to create includes it.
SELECT kernel.rights_keep('bookshop.authors', 'learntrack_bookshop_reader', readable => '*');
SELECT kernel.rights_keep('bookshop.books', 'learntrack_bookshop_reader', readable => '*');
SELECT kernel.rights_keep('bookshop.readers', 'learntrack_admin', readable => '*', created => '*', updated => '*', deletes => true);
SELECT kernel.rights_keep('bookshop.readers', 'learntrack_bookshop_reader', readable => '*', own => 'id');
SELECT kernel.rights_keep('bookshop.wishes', 'learntrack_admin', readable => '*', created => '*', deletes => true);
SELECT kernel.rights_keep('bookshop.wishes', 'learntrack_bookshop_reader', readable => '*', created => '*', deletes => true,
    own => 'reader_id');

INSERT INTO kernel.migrations (domain, name) VALUES ('bookshop', '0002_readers.sql') ON CONFLICT DO NOTHING;
