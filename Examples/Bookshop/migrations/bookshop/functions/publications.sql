-- The view: the authors with the number of their books that appeared from `since` to `until`, and the first of these days.
CREATE OR REPLACE FUNCTION bookshop.publications(since date, until date DEFAULT CURRENT_DATE)
    RETURNS TABLE (id bigint, author_id bigint, books bigint, first_published date)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT b.author_id, b.author_id, count(*), min(b.published)
    FROM bookshop.books AS b
    WHERE b.company_id = kernel.company() AND b.published BETWEEN publications.since AND publications.until
    GROUP BY b.author_id;
END;
