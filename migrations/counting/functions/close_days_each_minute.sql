-- The job counter_snapshots.close_days.
CREATE OR REPLACE FUNCTION counting.close_days_each_minute() RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'SELECT counting.close_days()';

SELECT kernel.worker_keep('counting', 'counting.close_days_each_minute()');

SELECT kernel.note_file('counting', 'functions/close_days_each_minute.sql', '66d14a44a186336f');
