-- Demo data: three places in three time zones, six devices, and 20,000 entries of the last thirty days, which end now, in the
-- middle of a busy evening. Not a migration: `learntrack seed` runs it, and so does psql. It adds no records if the
-- company has a location already.
--
-- The same every time but for the moment it runs at: no chance in it. Every kind of issue occurs (counter_issues).

SET client_encoding = 'UTF8';

DO $demo$
DECLARE
    entries_wanted constant integer := 20000;
BEGIN
IF EXISTS (SELECT FROM counting.locations AS l WHERE l.company_id = kernel.company()) THEN
    RAISE NOTICE 'the company has data already: no demo data added';
    RETURN;
END IF;

-- An account that sees the figures, with the password `demo-learntrack`. Only beside the demo accounts of the kernel.
PERFORM kernel.role_serve('counting_viewer');
IF EXISTS (SELECT FROM public.users AS u WHERE lower(u.email) = 'admin@demo.learntrack.fr') THEN
    INSERT INTO public.users (username, email, role)
    SELECT 'Inès Observatrice', 'viewer@demo.learntrack.fr', 'user'
    WHERE NOT EXISTS (SELECT FROM public.users AS u WHERE lower(u.email) = 'viewer@demo.learntrack.fr');
    INSERT INTO public.credentials (user_id, password_hash)
    SELECT u.id, '$y$j9T$LearnTrackDemoView1/$bkIMg3ppbwiN8BQ7V4byVd7kw.FR5jfXS2oB.ltWLa7'
    FROM public.users AS u WHERE lower(u.email) = 'viewer@demo.learntrack.fr'
    ON CONFLICT DO NOTHING;
    INSERT INTO public.account_roles (account_id, role)
    SELECT u.id, 'counting_viewer' FROM public.users AS u WHERE lower(u.email) = 'viewer@demo.learntrack.fr'
    ON CONFLICT DO NOTHING;
END IF;

-- `visits` is a number of candidates, of which as many are taken as make the wanted number of entries; `peak_hour` is the local
-- time at which most people come; `live` is how many come within the last four hours.
CREATE TEMPORARY TABLE demo_places ON COMMIT DROP AS
SELECT *
FROM (
    VALUES
        (1, 'Salle du Vieux Moulin', 150, 'Europe/Paris', 12, 300, 7000, 20.5, 125),
        (2, 'Club La Rade', 70, 'America/Martinique', 12, 300, 4600, 21.5, 105),
        (3, 'Médiathèque du Phare', 80, 'Pacific/Noumea', 4, 1800, 3600, 14.0, 50)
) AS place (number, name, max_capacity, timezone, boundary_hour, stale_after_seconds, visits, peak_hour, live);

INSERT INTO counting.locations
    (name, max_capacity, timezone, operational_boundary_hour, stale_after_seconds, created_at, updated_at)
SELECT
    p.name, p.max_capacity, p.timezone, p.boundary_hour, p.stale_after_seconds, now() - interval '31 days',
    now() - interval '31 days'
FROM demo_places AS p
ORDER BY p.number;

-- `share` is up to which part of the events of the place the device counts; the last one counts the rest.
CREATE TEMPORARY TABLE demo_devices ON COMMIT DROP AS
SELECT device.*, l.id AS location_id
FROM (
    VALUES
        (1, 1, 'Entrée principale', 'hardware', 1.00),
        (2, 1, 'Simulateur', 'simulator', 1.00),
        (3, 2, 'Porte du quai', 'hardware', 0.70),
        (4, 2, 'Terrasse', 'hardware', 1.00),
        (5, 3, 'Hall', 'hardware', 0.60),
        (6, 3, 'Jardin', 'hardware', 1.00)
) AS device (number, place, name, kind, share)
JOIN demo_places AS p ON p.number = device.place
JOIN counting.locations AS l ON l.company_id = kernel.company() AND l.name = p.name;

INSERT INTO counting.devices (location_id, name, kind, created_at, updated_at)
SELECT d.location_id, d.name, d.kind, now() - interval '31 days', now() - interval '31 days'
FROM demo_devices AS d
ORDER BY d.number;

-- The evening that goes on, whichever time it is: the last four hours, or the day so far.
CREATE TEMPORARY TABLE demo_evenings ON COMMIT DROP AS
SELECT p.number AS place, l.id AS location_id, greatest(counting.day_started_at(l), now() - interval '4 hours') AS since
FROM demo_places AS p
JOIN counting.locations AS l ON l.company_id = kernel.company() AND l.name = p.name;

-- People who come and go. `u1` … `u7` are between 0 and 1, and look like chance.
CREATE TEMPORARY TABLE demo_visits ON COMMIT DROP AS
WITH numbered AS (
    SELECT p.*, e.since, visit.number AS visit, visit.is_live, l.id AS location_id
    FROM demo_places AS p
    JOIN counting.locations AS l ON l.company_id = kernel.company() AND l.name = p.name
    JOIN demo_evenings AS e ON e.place = p.number
    CROSS JOIN LATERAL (
        SELECT n, false FROM generate_series(1, p.visits) AS n
        UNION ALL
        SELECT p.visits + n, true FROM generate_series(
            1, (p.live * greatest(0.2, extract(epoch FROM now() - e.since) / 14400))::integer) AS n
    ) AS visit (number, is_live)
), drawn AS (
    SELECT n.*, u.u[1] AS u1, u.u[2] AS u2, u.u[3] AS u3, u.u[4] AS u4, u.u[5] AS u5, u.u[6] AS u6, u.u[7] AS u7
    FROM numbered AS n
    CROSS JOIN LATERAL (
        SELECT array_agg(
            ('x' || substr(md5(n.number || '/' || n.visit || part), 1 + 8 * quarter, 8))::bit(32)::bigint / 4294967296.0
            ORDER BY part, quarter) AS u
        FROM unnest(ARRAY['a', 'b']) AS part, generate_series(0, 3) AS quarter
    ) AS u
), timed AS (
    SELECT
        d.*,
        CASE
            -- Most of the evening's guests come early, and stay.
            WHEN d.is_live THEN d.since + (now() - d.since) * d.u1 ^ 1.3
            ELSE (
                (now() AT TIME ZONE d.timezone)::date - floor(d.u1 * 31)::integer
                + make_interval(secs => 3600 * (d.peak_hour + 3.5 * (d.u2 + d.u3 - 1)))
            ) AT TIME ZONE d.timezone
        END AS arrival
    FROM drawn AS d
)
SELECT
    t.number AS place, t.location_id, t.visit, t.is_live, t.arrival, t.u5, t.u6,
    t.arrival + make_interval(secs => CASE WHEN t.is_live THEN 5400 + 14400 * t.u4 ELSE 2400 + 9000 * t.u4 END) AS departure
FROM timed AS t
-- Fridays and Saturdays are full, Mondays are quiet.
WHERE t.is_live
    OR t.u7 < CASE extract(isodow FROM t.arrival AT TIME ZONE t.timezone) WHEN 1 THEN 0.45 WHEN 5 THEN 0.95 WHEN 6 THEN 1 ELSE 0.7 END;

-- The events: those of the evening, and as many before it as are wanted.
CREATE TEMPORARY TABLE demo_events ON COMMIT DROP AS
WITH live AS (
    SELECT v.place, v.location_id, event.delta, event.at, event.share
    FROM demo_visits AS v
    CROSS JOIN LATERAL (VALUES (1, v.arrival, v.u5), (-1, v.departure, v.u6)) AS event (delta, at, share)
    WHERE v.is_live AND event.at <= now()
), past AS (
    SELECT v.*, row_number() OVER (ORDER BY md5(v.place || ':' || v.visit)) AS rank
    FROM demo_visits AS v
    JOIN demo_evenings AS e ON e.place = v.place
    WHERE NOT v.is_live AND v.arrival >= now() - interval '30 days' AND v.departure < e.since
), wanted AS (
    SELECT entries_wanted - count(*) AS entries FROM live
), events AS (
    SELECT * FROM live
    UNION ALL
    SELECT p.place, p.location_id, event.delta, event.at, event.share
    FROM past AS p
    CROSS JOIN LATERAL (VALUES (1, p.arrival, p.u5), (-1, p.departure, p.u6)) AS event (delta, at, share)
    WHERE 2 * p.rank + (event.delta < 0)::integer - 1 <= (SELECT w.entries FROM wanted AS w)
)
SELECT
    e.place, e.location_id, e.delta, date_trunc('milliseconds', e.at) AS at,
    -- The terrace closed three hours ago.
    CASE WHEN d.number = 4 AND e.at > now() - interval '3 hours' THEN 3 ELSE d.number END AS device
FROM events AS e
JOIN LATERAL (
    SELECT d.number FROM demo_devices AS d WHERE d.place = e.place AND e.share <= d.share ORDER BY d.share, d.number LIMIT 1
) AS d ON true;

-- What goes wrong: lost events, a counter that starts again, a clock that is two hours fast, a second gateway in one place, and
-- a phone that was without a network for three hours.
INSERT INTO counting.entries
    (location_id, device_id, "timestamp", delta, source, series, sequence_number, device_timestamp, gateway_timestamp,
        timestamp_source, gateway_session_id, missing_before, sequence_reset, clock_skew, gateway_conflict, created_at,
        updated_at)
SELECT
    e.location_id, e.device_id, e.at, e.delta, 'hardware', e.series, e.sequence_number,
    e.at + CASE WHEN e.is_fast THEN interval '2 hours' ELSE interval '0' END, e.gateway_at,
    CASE WHEN e.is_fast THEN 'gateway' ELSE 'device' END,
    CASE WHEN e.is_second THEN 'tablette-bar' ELSE 'telephone-' || e.device_number END,
    e.missing, e.is_reset, e.is_fast, e.is_second, e.received_at, e.received_at
FROM (
    SELECT
        r.*,
        CASE WHEN r.is_second_series THEN 2 ELSE 1 END AS series,
        row_number() OVER series + sum(r.missing) OVER series AS sequence_number,
        r.is_second_series AND row_number() OVER series = 1 AS is_reset,
        r.at + CASE WHEN r.is_fast THEN interval '0' ELSE interval '1.2 seconds' END AS gateway_at,
        least(now(), r.at + CASE WHEN r.is_delayed THEN interval '3 hours' ELSE interval '1.5 seconds' END) AS received_at
    FROM (
        SELECT
            n.*,
            n.device_number = 5 AND n.at > now() - interval '9 days' AS is_second_series,
            n.device_number = 3 AND n.at BETWEEN now() - interval '12 days' AND now() - interval '11 days' AS is_fast,
            n.device_number = 1 AND (
                n.rank % 5 = 0 AND n.at BETWEEN now() - interval '7 days' AND now() - interval '6 days'
                OR n.at BETWEEN now() - interval '80 minutes' AND now() - interval '50 minutes') AS is_second,
            n.device_number = 6 AND n.at BETWEEN now() - interval '4 days' AND now() - interval '3 days' AS is_delayed,
            -- None before the first entry of a series.
            CASE WHEN n.rank % 640 = 320 OR n.device_number IN (1, 3) AND n.rank_from_end = 60 THEN 2 + n.device_number ELSE 0 END
                AS missing
        FROM (
            SELECT
                v.*, d.number AS device_number, c.id AS device_id,
                row_number() OVER (PARTITION BY d.number ORDER BY v.at, v.delta DESC) AS rank,
                row_number() OVER (PARTITION BY d.number ORDER BY v.at DESC, v.delta) AS rank_from_end
            FROM demo_events AS v
            JOIN demo_devices AS d ON d.number = v.device
            JOIN counting.devices AS c
                ON c.company_id = kernel.company() AND c.location_id = v.location_id AND c.name = d.name
        ) AS n
    ) AS r
    WINDOW series AS (PARTITION BY r.device_number, r.is_second_series ORDER BY r.at, r.delta DESC)
) AS e
ORDER BY e.received_at, e.at;

-- The terrace was not seen since it closed; the others a moment ago.
UPDATE counting.device_presences AS p
SET last_seen_at = now() - d.silence, last_heartbeat_at = now() - d.silence
FROM (
    SELECT c.id, CASE WHEN d.number = 4 THEN interval '3 hours' ELSE interval '20 seconds' END AS silence
    FROM demo_devices AS d
    JOIN counting.devices AS c
        ON c.company_id = kernel.company() AND c.location_id = d.location_id AND c.name = d.name
) AS d
WHERE p.company_id = kernel.company() AND p.device_id = d.id;

UPDATE counting.counter_states AS s
SET last_device_seen_at = now() - interval '20 seconds', gateway_seen_at = now() - interval '20 seconds',
    gateway_session_id = 'telephone-' || CASE e.place WHEN 1 THEN 1 WHEN 2 THEN 3 ELSE 5 END,
    gateway_conflict_at = CASE WHEN e.place = 1 THEN now() - interval '50 minutes' END
FROM demo_evenings AS e
WHERE s.company_id = kernel.company() AND s.location_id = e.location_id;
END
$demo$;
