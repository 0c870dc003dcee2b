-- plots.sow: all lines or none; an unknown crop is refused at its line.
CREATE OR REPLACE FUNCTION probe.sow(plot bigint, lines jsonb) RETURNS bigint[]
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    owner bigint;
    line jsonb;
    place integer := 0;
    crop bigint;
    made bigint;
    all_made bigint[] := '{}';
BEGIN
    SELECT p.gardener_id INTO owner FROM probe.plots AS p
    WHERE p.company_id = kernel.company() AND p.id = plot
        AND (kernel.role() = 'coordinator' OR p.gardener_id = kernel.subject());
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    FOR line IN SELECT value FROM jsonb_array_elements(lines) LOOP
        SELECT c.id INTO crop FROM probe.crops AS c
            WHERE c.company_id = kernel.company() AND c.code = line ->> 'crop';
        IF NOT FOUND THEN
            PERFORM kernel.refuse('sow_known_crop', path => format('/lines/%s/crop', place));
        END IF;
        INSERT INTO probe.plantings (gardener_id, plot_id, crop_id, quantity, planted)
        VALUES (owner, plot, crop, (line ->> 'quantity')::integer, current_date)
        RETURNING id INTO made;
        all_made := all_made || made;
        place := place + 1;
    END LOOP;
    RETURN all_made;
END
$$;

SELECT kernel.command_keep('probe', 'probe.sow(bigint, jsonb)', 'learntrack_coordinator', 'learntrack_gardener');
