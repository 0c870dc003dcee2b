-- gardeners.import: `card` is what Swift has read from the vCard.
CREATE OR REPLACE FUNCTION probe.import_card(card jsonb) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$ INSERT INTO probe.gardeners (name, email) VALUES (card ->> 'name', card ->> 'email') RETURNING id $$;

SELECT kernel.command_keep('probe', 'probe.import_card(jsonb)', 'learntrack_coordinator');
