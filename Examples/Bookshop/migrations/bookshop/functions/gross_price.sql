-- The derived field: the price with 5.5 % of VAT.
CREATE OR REPLACE FUNCTION bookshop.gross_price(book bookshop.books) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN round((book).price * 1.055, 2);
