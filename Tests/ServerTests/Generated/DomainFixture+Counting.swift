import CountingDomain
import JSON

extension DomainFixture {
    static let counting = DomainFixture(
        domain: Counting.domain,
        rows: """
            -- Each has a state with its id. No device or entry refers to the last three. No device falls silent during a run.
            INSERT INTO counting.locations (id, name, max_capacity, timezone, stale_after_seconds)
            SELECT id, 'Lieu ' || id, 100, 'Europe/Paris', 86400 FROM generate_series(3101, 3105) AS id;
            -- No device is where `locations.end_day` is called: what it does depends on the count.
            INSERT INTO counting.devices (id, location_id, name, kind)
            SELECT id, 3101 + id % 2, 'Appareil ' || id, CASE WHEN id = 3203 THEN 'simulator' ELSE 'hardware' END
            FROM generate_series(3201, 3206) AS id;
            -- Odd rows belong to the first subject, even ones to the second.
            INSERT INTO counting.entries (id, location_id, device_id, "timestamp", delta, source, sequence_number)
            SELECT e.id, d.location_id, d.id, timestamptz '2026-06-01 18:00Z' + e.id * interval '1 second', 1, 'hardware', e.id
            FROM generate_series(3301, 3306) AS e (id)
            JOIN counting.devices AS d ON d.id = 3202 - e.id % 2;
            INSERT INTO counting.counter_snapshots
                (id, location_id, operational_day, starts_at, ends_at, reason, closing_count, total_in, total_out,
                    peak_occupancy, average_occupancy)
            SELECT id, id - 400, '2026-06-01', '2026-06-01 10:00Z', '2026-06-02 10:00Z', 'admin', 0, 3, 3, 3, 1.50
            FROM generate_series(3501, 3503) AS id;
            """,
        calls: [
            "entries.record": [
                "sequence_number": 9001, "delta": 1, "gateway_timestamp": "2026-06-02T18:00:00Z",
                "gateway_session_id": "essai",
            ],
            "entries.record_batch": [
                "gateway_session_id": "essai",
                "events": [
                    ["sequence_number": 9101, "delta": 1, "gateway_timestamp": "2026-06-03T18:00:00Z"],
                    [
                        "sequence_number": 9102, "delta": -1, "gateway_timestamp": "2026-06-03T18:00:10Z",
                        "device_timestamp": "2026-06-03T18:00:08Z",
                    ],
                ],
            ],
            "devices.heartbeat": ["gateway_session_id": "essai"],
            "entries.override": ["location_id": 3102, "delta": 1, "count": 2],
            "entries.simulate": ["device_id": 3203, "delta": 1],
            "locations.end_day": ["id": 3103],
            "counter_snapshots.close_days": [:],
            "counter_kpis.list": ["location_id": 3101, "range": "year"],
            "counter_charts.list": [
                "location_id": 3102, "from": "2026-06-01T10:00:00Z", "to": "2026-06-03T10:00:00Z",
                "granularity": "hour",
            ],
            "counter_issues.list": ["location_id": 3101, "range": "last_30"],
        ])
}
