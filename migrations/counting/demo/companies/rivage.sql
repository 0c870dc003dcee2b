-- Demo data of a second company: a harbour office with a door and a simulator, and the entries of its last five days. Not a
-- migration: `learntrack seed --companies` runs it in that company. It adds no records if the company has a location already.
--
-- The same every time but for the moment it runs at: no chance in it. The devices have names of the first company's, and the same
-- numbers.

SET client_encoding = 'UTF8';

DO $demo$
DECLARE
    office bigint;
    door bigint;
BEGIN
IF EXISTS (SELECT FROM counting.locations AS l WHERE l.company_id = kernel.company()) THEN
    RAISE NOTICE 'the company has data already: no demo data added';
    RETURN;
END IF;

INSERT INTO counting.locations (name, max_capacity, timezone, operational_boundary_hour, created_at, updated_at)
VALUES ('Capitainerie', 40, 'Europe/Paris', 4, now() - interval '6 days', now() - interval '6 days')
RETURNING id INTO office;
INSERT INTO counting.devices (location_id, name, kind, created_at, updated_at)
VALUES (office, 'Entrée principale', 'hardware', now() - interval '6 days', now() - interval '6 days')
RETURNING id INTO door;
INSERT INTO counting.devices (location_id, name, kind, created_at, updated_at)
VALUES (office, 'Simulateur', 'simulator', now() - interval '6 days', now() - interval '6 days');

-- By day somebody comes every quarter of an hour, more or less, and stays up to an hour.
INSERT INTO counting.entries
    (location_id, device_id, "timestamp", delta, source, sequence_number, gateway_timestamp, timestamp_source, gateway_session_id,
        created_at, updated_at)
SELECT office, door, e.at, e.delta, 'hardware', row_number() OVER (ORDER BY e.at, e.delta DESC), e.at, 'gateway', 'telephone-1', e.at, e.at
FROM generate_series(0, 480) AS visit (n)
CROSS JOIN LATERAL (
    SELECT date_trunc('milliseconds', now() - visit.n * interval '15 minutes' - visit.n % 3 * interval '4 minutes') AS arrival
) AS v
CROSS JOIN LATERAL (
    VALUES (1, v.arrival), (-1, v.arrival + (10 + visit.n * 7 % 50) * interval '1 minute')
) AS e (delta, at)
WHERE e.at <= now()
-- Nobody comes at night.
    AND extract(hour FROM v.arrival AT TIME ZONE 'Europe/Paris') BETWEEN 7 AND 20;

UPDATE counting.device_presences AS p
SET last_seen_at = now() - interval '20 seconds', last_heartbeat_at = now() - interval '20 seconds'
WHERE p.company_id = kernel.company() AND p.device_id = door;
UPDATE counting.counter_states AS s
SET last_device_seen_at = now() - interval '20 seconds', gateway_seen_at = now() - interval '20 seconds',
    gateway_session_id = 'telephone-1'
WHERE s.company_id = kernel.company() AND s.location_id = office;
END
$demo$;
