-- The nearest instant that an entry can have for that of a clock. One at the edge of the years 0001 and 9999 may lie outside of them
-- in UTC: a gateway without a date sends it, and it must not keep the other events of a call from being recorded.
CREATE OR REPLACE FUNCTION counting.storable(instant timestamptz) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN instant < '0001-01-01 00:00:00+00' THEN '0001-01-01 00:00:00+00'
        WHEN instant >= '10000-01-01 00:00:00+00' THEN '9999-12-31 23:59:59.999999+00'
        ELSE instant
    END;

REVOKE EXECUTE ON FUNCTION counting.storable(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.storable(timestamptz) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/storable.sql', '9a733f3b1bd1f55f');
