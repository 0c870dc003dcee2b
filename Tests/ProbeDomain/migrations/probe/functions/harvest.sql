-- plantings.harvest: each item in a subtransaction of its own, so that one that is refused keeps no other from being noted.
CREATE OR REPLACE FUNCTION probe.harvest(harvest_day date, items jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    item jsonb;
    planting probe.plantings;
    made bigint;
    outcome text;
    outcomes jsonb := '[]';
BEGIN
    FOR item IN SELECT value FROM jsonb_array_elements(items) LOOP
        made := NULL;
        SELECT * INTO planting FROM probe.plantings AS p
        WHERE p.company_id = kernel.company() AND p.id = (item ->> 'planting_id')::bigint
            AND (kernel.role() = 'coordinator' OR p.gardener_id = kernel.subject());
        IF NOT FOUND THEN
            outcome := 'unknown';
        ELSE
            BEGIN
                INSERT INTO probe.harvests (gardener_id, planting_id, kilos, day)
                VALUES (planting.gardener_id, planting.id, (item ->> 'kilos')::numeric, harvest_day)
                RETURNING id INTO made;
                outcome := 'noted';
            EXCEPTION
                WHEN check_violation THEN
                    outcome := 'too_much';
            END;
        END IF;
        outcomes := outcomes || jsonb_build_object(
            'planting_id', item -> 'planting_id', 'outcome', outcome, 'harvest_id', made);
    END LOOP;
    RETURN outcomes;
END
$$;

SELECT kernel.command_keep('probe', 'probe.harvest(date, jsonb)', 'learntrack_coordinator', 'learntrack_gardener');
