-- gardeners.welcome: the mail leaves when this transaction is committed. The key keeps a mail for later apart from one for now.
CREATE OR REPLACE FUNCTION probe.welcome(gardener bigint, after timestamptz) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM probe.gardeners AS g WHERE g.company_id = kernel.company() AND g.id = gardener) THEN
        RETURN NULL;
    END IF;
    PERFORM kernel.send('gardeners.welcome', gardener, coalesce(after, now()), after::text);
    RETURN gardener;
END
$$;

SELECT kernel.command_keep('probe', 'probe.welcome(bigint, timestamptz)', 'learntrack_coordinator');
