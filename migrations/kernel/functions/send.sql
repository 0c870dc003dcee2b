-- Enters a message in the outbox: a function of a command calls it in its transaction.
--
--     PERFORM kernel.send('loans_reminder', made, now() + interval '14 days');
--
-- kind        the name of a notice of the domain
-- record_id   the record that it is about, of the company of the transaction
-- not_before  when it leaves at the earliest
-- key         tells apart messages of this kind about this record; NULL if each replaces the one before
--
-- While no worker has taken the message, a further one of the same kind, record and key is the same one. A transaction
-- that sends several takes their records in the order of their ids, because each waits for a concurrent one.
CREATE OR REPLACE FUNCTION kernel.send(
    kind text, record_id bigint, not_before timestamptz DEFAULT now(), key text DEFAULT NULL
) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    -- The update locks the row, so that a worker reads the record after the transaction has ended.
    INSERT INTO kernel.outbox AS o (company_id, kind, record_id, not_before, key)
    VALUES (kernel.company(), $1, $2, $3, coalesce($4, ''))
    ON CONFLICT (company_id, kind, record_id, key) WHERE attempts = 0
        DO UPDATE SET not_before = least(o.not_before, excluded.not_before);
    SELECT pg_notify('outbox', '') WHERE $3 <= now();
$$;

-- What the function of before relied on.
DROP INDEX IF EXISTS kernel.outbox_waiting_key;

-- kernel.commands_role grants it to the owners of commands.
REVOKE EXECUTE ON FUNCTION kernel.send(text, bigint, timestamptz, text) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/send.sql', '861ccd0981fdf5ca');
