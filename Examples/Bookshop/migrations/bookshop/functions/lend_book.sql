-- books.lend: a book that is not lent yet goes to a reader. The row is locked, so that of two calls at once one is refused.
CREATE OR REPLACE FUNCTION bookshop.lend_book(book_id bigint, new_reader text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    book bookshop.books;
BEGIN
    SELECT * INTO book FROM bookshop.books AS b
        WHERE b.company_id = kernel.company() AND b.id = book_id FOR NO KEY UPDATE;
    IF book.reader IS NOT NULL THEN
        PERFORM kernel.refuse('books_lent', jsonb_build_object('reader', book.reader));
    END IF;
    UPDATE bookshop.books AS b SET reader = new_reader WHERE b.company_id = kernel.company() AND b.id = book_id;
    -- Null if the book was deleted since the server has read it, which is answered with 404.
    RETURN book.id;
END
$$;

SELECT kernel.command_keep('bookshop', 'bookshop.lend_book(bigint, text)', 'learntrack_user', 'learntrack_admin');
