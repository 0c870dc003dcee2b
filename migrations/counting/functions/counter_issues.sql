-- The view: what was irregular in an interval, by the time when it starts. Ids count from 1.
--
-- A gap that psql gave to the first entry of a series begins and ends with the entry.
CREATE OR REPLACE FUNCTION counting.counter_issues(
    location_id bigint, range text DEFAULT 'today', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL
)
    RETURNS SETOF counting.issue
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    -- A table that has grown since it was analysed is read by its indexes all the same.
    SET jit = off SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    p record;
BEGIN
    SELECT * INTO p FROM counting.period(
        counter_issues.location_id, counter_issues.range, counter_issues."from", counter_issues."to", NULL);
    IF NOT FOUND THEN RETURN; END IF;
    RETURN QUERY
    WITH irregular AS MATERIALIZED (
        SELECT
            e.id, e.device_id, e."timestamp", e.series, e.sequence_number, e.gateway_session_id,
            e.missing_before, e.sequence_reset, e.clock_skew, e.gateway_conflict
        FROM counting.entries AS e
        WHERE e.company_id = kernel.company() AND e.location_id = counter_issues.location_id
            AND e."timestamp" >= p.since AND e."timestamp" < p.until
            AND (e.missing_before > 0 OR e.sequence_reset OR e.clock_skew OR e.gateway_conflict)
    ), issues AS (
        SELECT
            'missing_events' AS kind, i.device_id, coalesce(before."timestamp", i."timestamp") AS starts_at,
            i."timestamp" AS ends_at, i.missing_before::bigint AS value, NULL AS detail, i.id AS entry
        FROM irregular AS i
        LEFT JOIN LATERAL (
            SELECT e."timestamp"
            FROM counting.entries AS e
            WHERE e.company_id = kernel.company() AND e.device_id = i.device_id AND e.series = i.series
                AND e.sequence_number < i.sequence_number
            ORDER BY e.sequence_number DESC
            LIMIT 1
        ) AS before ON true
        WHERE i.missing_before > 0
        UNION ALL
        SELECT 'sequence_reset', i.device_id, i."timestamp", i."timestamp", i.series, NULL, i.id
        FROM irregular AS i
        WHERE i.sequence_reset
        UNION ALL
        SELECT 'clock_skew', i.device_id, min(i."timestamp"), max(i."timestamp"), count(*), NULL, min(i.id)
        FROM irregular AS i
        WHERE i.clock_skew
        GROUP BY i.device_id
        UNION ALL
        SELECT
            'gateway_conflict', i.device_id, min(i."timestamp"), max(i."timestamp"), count(*), i.gateway_session_id,
            min(i.id)
        FROM irregular AS i
        WHERE i.gateway_conflict
        GROUP BY i.device_id, i.gateway_session_id
        UNION ALL
        SELECT
            'overcrowding', NULL, o.starts_at, CASE WHEN NOT (o.unfinished AND p.until_now) THEN o.ends_at END, o.peak,
            NULL, row_number() OVER (ORDER BY o.starts_at, o.ends_at, o.peak)
        FROM counting.overcrowdings(
            counter_issues.location_id, p.timezone, p.boundary_hour, p.max_capacity, p.since, p.until
        ) AS o
        UNION ALL
        SELECT 'stale_device', d.id, seen.at, NULL, floor(extract(epoch FROM now() - seen.at))::bigint, NULL, NULL
        FROM counting.devices AS d
        LEFT JOIN counting.device_presences AS presence
            ON presence.company_id = d.company_id AND presence.device_id = d.id
        CROSS JOIN LATERAL (SELECT coalesce(presence.last_seen_at, d.created_at) AS at) AS seen
        WHERE p.until_now AND d.company_id = kernel.company() AND d.location_id = counter_issues.location_id
            AND d.is_active AND d.kind <> 'manual'
            AND seen.at < now() - make_interval(secs => p.stale_after_seconds)
    )
    SELECT
        row_number() OVER (
            ORDER BY i.starts_at, i.kind COLLATE "C", i.device_id, i.ends_at, i.entry, i.detail COLLATE "C"),
        counter_issues.location_id,
        i.kind,
        i.device_id,
        i.starts_at,
        i.ends_at,
        i.value,
        i.detail
    FROM issues AS i;
END
$$;

REVOKE EXECUTE ON FUNCTION counting.counter_issues(bigint, text, timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.counter_issues(bigint, text, timestamptz, timestamptz)
    TO learntrack_admin, learntrack_counting_viewer;

SELECT kernel.note_file('counting', 'functions/counter_issues.sql', '1aff2bdb237c6801');
