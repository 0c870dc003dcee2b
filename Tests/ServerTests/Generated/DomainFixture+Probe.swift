import JSON
import ProbeDomain

extension DomainFixture {
    static let probe = DomainFixture(
        domain: Probe.domain,
        rows: """
            INSERT INTO probe.gardeners (id, name, email)
            SELECT id, 'Jardinier ' || id, 'jardinier' || id || '@exemple.fr' FROM generate_series(2101, 2104) AS id;
            INSERT INTO probe.gardens (id) VALUES (3001);
            -- Odd rows belong to the first subject, even ones to the second.
            INSERT INTO probe.plots (id, gardener_id, number, name)
            SELECT id, 2102 - id % 2, id - 2100, 'Parcelle ' || id FROM generate_series(2201, 2206) AS id;
            INSERT INTO probe.crops (id, code, name)
            SELECT id, 'culture-' || id, 'Culture ' || id FROM generate_series(2301, 2304) AS id;
            INSERT INTO probe.plantings (id, gardener_id, plot_id, crop_id, quantity)
            SELECT id, 2102 - id % 2, id - 200, 2301, 5 FROM generate_series(2401, 2406) AS id;
            INSERT INTO probe.harvests (id, gardener_id, planting_id, kilos, day)
            SELECT id, 2102 - id % 2, id - 100, 2.50, '2026-06-01' FROM generate_series(2501, 2504) AS id;
            INSERT INTO probe.observations (id, gardener_id, plot_id, mood, text)
            SELECT id, 2102 - id % 2, id - 400, 1, 'Vu ' || id FROM generate_series(2601, 2604) AS id;
            INSERT INTO probe.presences (id, gardener_id) VALUES (2701, 2101), (2702, 2102);
            INSERT INTO probe.greenhouse_bookings (id, gardener_id, starts_at, ends_at)
            SELECT id, 2102 - id % 2, at, at + interval '1 hour'
            FROM generate_series(2801, 2804) AS id,
                LATERAL (SELECT timestamptz '2026-02-01 08:00Z' + (id - 2801) * interval '1 day') AS one (at);
            INSERT INTO probe.seasons (id, year) SELECT id, id - 900 FROM generate_series(2901, 2903) AS id;
            """,
        calls: [
            "gardeners.import": ["card": "BEGIN:VCARD\nFN:Nina Serre\nEMAIL:nina@exemple.fr\nEND:VCARD"],
            "gardeners.welcome": ["id": 2101],
            "plots.inspect": ["id": 2201],
            "plots.move": ["id": 2201, "state": "planted"],
            "plots.sow": ["id": 2201, "lines": [["crop": "culture-2301", "quantity": 3], ["crop": "culture-2302"]]],
            "plantings.harvest": ["day": "2026-06-08", "items": [["planting_id": 2401, "kilos": 1]]],
            "presences.note": [:],
            "gardens.open": [:],
            "greenhouse_bookings.book": ["starts_at": "2026-03-01T08:00:00Z", "ends_at": "2026-03-01T09:00:00Z"],
            "seasons.current": [:],
            "yields.list": ["since": "2026-01-01", "until": "2026-12-31"],
        ])
}
