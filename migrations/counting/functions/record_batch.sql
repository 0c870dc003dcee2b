-- entries.record_batch: events of the caller's device in their order, all or nothing.
CREATE OR REPLACE FUNCTION counting.record_batch(gateway_session_id text, events jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    done record;
    current_count integer;
    status text;
BEGIN
    SELECT * INTO done FROM counting.record_events(gateway_session_id, events);
    current_count := counting.count_at(kernel.company(), done.location_id, done.present);
    SELECT counting.status_of(current_count, l.max_capacity) INTO status
    FROM counting.locations AS l WHERE l.company_id = kernel.company() AND l.id = done.location_id;
    RETURN jsonb_build_object(
        'recorded', done.recorded, 'duplicates', done.duplicates, 'late', done.late, 'gaps', done.gaps,
        'resets', done.resets, 'series', done.series, 'last_sequence_number', done.last_sequence_number,
        'current_count', current_count, 'status', status);
END
$$;

SELECT kernel.command_keep('counting', 'counting.record_batch(text, jsonb)', 'learntrack_counting_device');

SELECT kernel.note_file('counting', 'functions/record_batch.sql', '7440b7d282558268');
