-- greenhouse_bookings.book: the constraint decides between two at once, and the function tells the loser of the other booking.
CREATE OR REPLACE FUNCTION probe.book_greenhouse(starts timestamptz, ends timestamptz) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    made bigint;
    other probe.greenhouse_bookings;
BEGIN
    IF EXISTS (SELECT FROM probe.gardeners AS g WHERE g.company_id = kernel.company() AND g.id = kernel.subject() AND g.is_suspended) THEN
        PERFORM kernel.refuse('gardeners_suspended');
    END IF;
    INSERT INTO probe.greenhouse_bookings (gardener_id, starts_at, ends_at) VALUES (kernel.subject(), starts, ends)
    RETURNING id INTO made;
    RETURN made;
EXCEPTION
    WHEN exclusion_violation THEN
        SELECT * INTO other FROM probe.greenhouse_bookings AS b
        WHERE b.company_id = kernel.company() AND b.period && tstzrange(starts, ends)
        ORDER BY b.starts_at LIMIT 1;
        PERFORM kernel.refuse(
            'greenhouse_bookings_overlap',
            jsonb_build_object('starts_at', other.starts_at, 'ends_at', other.ends_at));
END
$$;

SELECT kernel.command_keep('probe', 'probe.book_greenhouse(timestamptz, timestamptz)', 'learntrack_gardener');
