-- Where the first event of this series with at least this number is, among events in the order of series and numbers; after the
-- last one if there is none. The search halves what is left, since a call may bring many late events.
CREATE OR REPLACE FUNCTION counting.first_from(ordered counting.received_event[], series integer, sequence_number bigint)
    RETURNS integer
    LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    found integer := 1;
    beyond integer := cardinality(ordered) + 1;
    middle integer;
BEGIN
    WHILE found < beyond LOOP
        middle := (found + beyond) / 2;
        IF (ordered[middle].series, ordered[middle].sequence_number) < (series, sequence_number) THEN
            found := middle + 1;
        ELSE
            beyond := middle;
        END IF;
    END LOOP;
    RETURN found;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.first_from(counting.received_event[], integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.first_from(counting.received_event[], integer, bigint) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/first_from.sql', 'e2e22f8abff4ebaf');
