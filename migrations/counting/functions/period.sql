-- The interval of a view, the one before it that it is compared with, and the length of its buckets.
--
-- An instant before the year 1 cannot be answered: no interval begins before `earliest`, when every zone has an operational
-- day of that year. No row if the location is unknown or the interval is empty.
CREATE OR REPLACE FUNCTION counting.period(
    location_id bigint, range text, "from" timestamptz, "to" timestamptz, granularity text
)
    RETURNS TABLE (
        timezone text, boundary_hour integer, max_capacity integer, stale_after_seconds integer,
        since timestamptz, until timestamptz, until_now boolean,
        previous_since timestamptz, previous_until timestamptz, bucket text
    )
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        l.timezone,
        l.operational_boundary_hour::integer,
        l.max_capacity,
        l.stale_after_seconds,
        starts.since,
        ends.until,
        ends.until = now(),
        greatest(
            CASE WHEN period."from" IS NULL
                THEN counting.day_start(l.timezone, l.operational_boundary_hour, days.previous_first)
                -- Without time zones a day of the difference is 24 hours.
                ELSE ((starts.since AT TIME ZONE 'UTC') - (ends.until - starts.since)) AT TIME ZONE 'UTC'
            END,
            constants.earliest
        ),
        starts.since,
        coalesce(
            period.granularity,
            CASE
                WHEN period."from" IS NULL
                    THEN CASE wanted.range WHEN 'today' THEN 'hour' WHEN 'year' THEN 'month' ELSE 'day' END
                WHEN ends.until - starts.since <= interval '48 hours' THEN 'hour'
                WHEN ends.until - starts.since <= interval '92 days' THEN 'day'
                ELSE 'month'
            END
        )
    FROM counting.locations AS l
    CROSS JOIN (SELECT timestamptz '0001-01-03 00:00:00+00' AS earliest) AS constants
    CROSS JOIN LATERAL (SELECT coalesce(period.range, 'today') AS range) AS wanted
    CROSS JOIN LATERAL (SELECT greatest(least(period."to", now()), constants.earliest) AS until) AS ends
    CROSS JOIN LATERAL (
        SELECT counting.day_of(l.timezone, l.operational_boundary_hour, ends.until) AS last
    ) AS present
    CROSS JOIN LATERAL (
        SELECT
            CASE wanted.range
                WHEN 'today' THEN present.last
                WHEN 'last_7' THEN present.last - 6
                WHEN 'last_30' THEN present.last - 29
                WHEN 'year' THEN date_trunc('year', present.last::timestamp)::date
            END AS first,
            CASE wanted.range
                WHEN 'today' THEN present.last - 1
                WHEN 'last_7' THEN present.last - 13
                WHEN 'last_30' THEN present.last - 59
                WHEN 'year' THEN (date_trunc('year', present.last::timestamp) - interval '1 year')::date
            END AS previous_first
    ) AS days
    CROSS JOIN LATERAL (
        SELECT greatest(
            coalesce(period."from", counting.day_start(l.timezone, l.operational_boundary_hour, days.first)),
            constants.earliest
        ) AS since
    ) AS starts
    WHERE l.company_id = kernel.company() AND l.id = period.location_id AND starts.since < ends.until;
END;

REVOKE EXECUTE ON FUNCTION counting.period(bigint, text, timestamptz, timestamptz, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.period(bigint, text, timestamptz, timestamptz, text)
    TO learntrack_admin, learntrack_counting_viewer;

SELECT kernel.note_file('counting', 'functions/period.sql', 'd0c17bc7645cba5d');
