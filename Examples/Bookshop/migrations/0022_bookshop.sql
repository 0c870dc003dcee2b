CREATE TABLE public.authors (
    id bigserial CONSTRAINT authors_pkey PRIMARY KEY,
    name varchar(100) NOT NULL CONSTRAINT authors_name_check CHECK (public.est_visible(name)),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

CREATE TABLE public.books (
    id bigserial CONSTRAINT books_pkey PRIMARY KEY,
    title varchar(200) NOT NULL CONSTRAINT books_title_check CHECK (public.est_visible(title)),
    isbn varchar(13) CONSTRAINT books_isbn_key UNIQUE CONSTRAINT books_isbn_check CHECK (isbn ~ '^[0-9]{13}$'),
    price decimal(6, 2) CONSTRAINT books_price_check CHECK (price >= 0 AND price <> 'NaN'),
    published date CONSTRAINT books_published_check CHECK (published BETWEEN '0001-01-01' AND '9999-12-31'),
    reprinted date CONSTRAINT books_reprinted_check CHECK (reprinted BETWEEN '0001-01-01' AND '9999-12-31'),
    author_id bigint NOT NULL CONSTRAINT books_author_id_fkey REFERENCES public.authors (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1,
    CONSTRAINT books_reprinted_after_published CHECK (reprinted > published)
);

-- The counter `version` and the time of the last change.
CREATE TRIGGER authors_change BEFORE UPDATE ON public.authors
    FOR EACH ROW EXECUTE FUNCTION public.note_changement();
CREATE TRIGGER books_change BEFORE UPDATE ON public.books
    FOR EACH ROW EXECUTE FUNCTION public.note_changement();

-- The derived field: the price with 5.5 % of VAT.
CREATE FUNCTION public.gross_price(book public.books) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN round((book).price * 1.055, 2);

-- The searchable text, stored with each book, and the index that finds parts of its words.
SELECT public.recherche_keep('public.books', 'public.sans_accents(title)');

-- The default orders, and the books of an author. The server sorts names by the collation `francais`.
CREATE INDEX authors_name_idx ON public.authors (name COLLATE public.francais, id);
CREATE INDEX books_title_idx ON public.books (title COLLATE public.francais, id);
CREATE INDEX books_author_id_idx ON public.books (author_id, id);

-- The rights of Access: operations by grants, and a policy for each role, since row-level security is on. No role may
-- write the columns that the database maintains.
GRANT SELECT ON public.authors, public.books TO learntrack_user, learntrack_admin;
GRANT INSERT (name), UPDATE (name), DELETE ON public.authors TO learntrack_admin;
GRANT
    INSERT (title, isbn, price, published, reprinted, author_id),
    UPDATE (title, isbn, price, published, reprinted, author_id),
    DELETE ON public.books TO learntrack_admin;
GRANT USAGE ON SEQUENCE public.authors_id_seq, public.books_id_seq TO learntrack_admin;
ALTER TABLE public.authors ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.books ENABLE ROW LEVEL SECURITY;
CREATE POLICY authors_user ON public.authors FOR SELECT TO learntrack_user USING (true);
CREATE POLICY authors_admin ON public.authors TO learntrack_admin USING (true);
CREATE POLICY books_user ON public.books FOR SELECT TO learntrack_user USING (true);
CREATE POLICY books_admin ON public.books TO learntrack_admin USING (true);

-- The journal of both tables, and with it authors.history and books.history.
SELECT public.journal_keep('public.authors');
SELECT public.journal_keep('public.books');

INSERT INTO public.learntrack_migrations (name) VALUES ('0022_bookshop.sql') ON CONFLICT DO NOTHING;
