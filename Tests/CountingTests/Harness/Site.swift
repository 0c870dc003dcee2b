import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// A location, its devices and its figures.
struct Site: Sendable {
    let served: CountingServer
    let id: Int
    /// The settings that it was created with.
    let rule: DayRule
    /// The administrator. One request at a time.
    let admin: RPCClient

    var json: JSONValue { JSONValue(id) }

    // MARK: Devices

    /// A device with an account and an access key.
    func device(_ values: [(String, JSONValue)] = []) async throws -> CountingDevice {
        let device = try await counter(values)
        let key = try await served.key(role: "counting_device", subject: device)
        return try CountingDevice(site: self, id: device, key: try #require(key["key"]?.text))
    }

    /// A device that no account stands for.
    func counter(_ values: [(String, JSONValue)] = []) async throws -> Int {
        let usual: [(String, JSONValue)] = [
            ("location_id", json), ("name", .string("Compteur \(CountingServer.unique())")),
        ]
        let made = try await admin.call("devices.create", ["values": .merging(usual + values), "select": "{ id }"])
        return try #require(made["id"]?.int)
    }

    // MARK: Entries by psql

    /// Inserts entries as people do with psql: with location, device, time, change, kind and number alone.
    ///
    /// - Parameters:
    ///   - device: by default a new one.
    ///   - first: the number of the first entry.
    /// - Returns: the entries with their ids.
    @discardableResult
    func insert(_ entries: [CountedEntry], device: Int? = nil, first: Int = 1) async throws -> [CountedEntry] {
        let device = if let device { device } else { try await counter() }
        guard !entries.isEmpty else { return [] }
        let rows = entries.enumerated().map { index, entry in
            "(\(id), \(device), '\(entry.at.text)', \(entry.delta), 'hardware', \(first + index))"
        }
        let ids = try await served.psql(
            """
            INSERT INTO counting.entries (location_id, device_id, "timestamp", delta, source, sequence_number)
            VALUES \(rows.joined(separator: ",\n")) RETURNING id
            """)
        return zip(ids.split(separator: "\n"), entries).map { CountedEntry(id: Int($0) ?? 0, $1.at, $1.delta) }
    }

    /// So many arrivals at one instant.
    func fill(_ count: Int, at moment: Moment, device: Int? = nil) async throws {
        let device = if let device { device } else { try await counter() }
        try await served.psql(
            """
            INSERT INTO counting.entries (location_id, device_id, "timestamp", delta, source, sequence_number)
            SELECT \(id), \(device), '\(moment.text)', 1, 'hardware', n FROM generate_series(1, \(count)) AS n
            """)
    }

    // MARK: Reading

    /// The fields of the state.
    static let stateFields = """
        id location_id last_event_at last_device_seen_at gateway_session_id gateway_seen_at gateway_conflict_at \
        current_count status occupancy_percent remaining freshness_seconds is_online gateway_conflict version
        """

    func state() async throws -> JSONValue {
        try await admin.call("counter_states.get", ["id": json, "select": .string("{ \(Self.stateFields) }")])
    }

    func currentCount() async throws -> Int? { try await state()["current_count"]?.int }

    /// The entries in the order of their ids.
    func entries(_ condition: JSONValue = [:]) async throws -> [JSONValue] {
        try await pages(
            "entries.list", [("where", ["and": [["location_id": json], condition]]), ("order_by", ["id"])], as: admin)
    }

    /// The rows of a view.
    func rows(
        _ view: String, _ parameters: [(String, JSONValue)], as client: RPCClient? = nil
    ) async throws -> [JSONValue] {
        try await pages("\(view).list", [("location_id", json)] + parameters, as: client ?? admin)
    }

    /// The answers of a list, over all of its pages.
    private func pages(
        _ method: String, _ parameters: [(String, JSONValue)], as client: RPCClient
    ) async throws -> [JSONValue] {
        var rows: [JSONValue] = []
        var after: [(String, JSONValue)] = []
        repeat {
            let page = try await client.call(method, .merging([("first", 500)] + parameters + after))
            rows += page.at("/items").array
            after = page["has_next_page"] == true ? [("after", page["end_cursor"] ?? .null)] : []
        } while !after.isEmpty
        return rows
    }

    /// The one row of `counter_kpis`.
    func kpis(_ parameters: [(String, JSONValue)] = [], sourceLocation: SourceLocation = #_sourceLocation)
        async throws -> JSONValue
    {
        let rows = try await rows("counter_kpis", parameters)
        #expect(rows.count == 1, sourceLocation: sourceLocation)
        return try #require(rows.first, sourceLocation: sourceLocation)
    }

    func charts(_ parameters: [(String, JSONValue)] = []) async throws -> [JSONValue] {
        try await rows("counter_charts", parameters)
    }

    func issues(_ parameters: [(String, JSONValue)] = [], kind: String? = nil) async throws -> [JSONValue] {
        let rows = try await rows("counter_issues", parameters)
        return rows.filter { kind == nil || $0["kind"] == kind.map { .string($0) } }
    }

    @discardableResult
    func update(_ values: JSONValue) async throws -> JSONValue {
        try await admin.call("locations.update", ["id": json, "values": values])
    }
}

/// A device with an access key in the role `counting_device`.
struct CountingDevice: Sendable {
    let site: Site
    let id: Int
    let key: String
    let client: RPCClient

    init(site: Site, id: Int, key: String) throws {
        self.site = site
        self.id = id
        self.key = key
        client = try site.served.client(key)
    }

    var json: JSONValue { JSONValue(id) }

    /// A client with the same key over another connection.
    func another() throws -> RPCClient { try site.served.client(key) }

    @discardableResult
    func record(
        _ event: SentEvent, session: String = "passerelle", _ further: [(String, JSONValue)] = []
    ) async throws -> JSONValue {
        try await client.call(
            "entries.record", .merging(event.members + [("gateway_session_id", .string(session))] + further))
    }

    @discardableResult
    func recordBatch(
        _ events: [SentEvent], session: String = "passerelle", as other: RPCClient? = nil
    ) async throws -> JSONValue {
        try await (other ?? client).call("entries.record_batch", Self.batch(events, session: session))
    }

    static func batch(_ events: [SentEvent], session: String = "passerelle") -> JSONValue {
        ["gateway_session_id": .string(session), "events": .array(events.map { .merging($0.members) })]
    }

    @discardableResult
    func heartbeat(session: String = "passerelle", _ further: [(String, JSONValue)] = []) async throws -> JSONValue {
        try await client.call("devices.heartbeat", .merging([("gateway_session_id", .string(session))] + further))
    }

    /// The fields of the device.
    static let fields = """
        id location_id name kind is_active series last_sequence_number last_event_at last_heartbeat_at last_seen_at is_stale \
        version
        """

    func read() async throws -> JSONValue {
        try await site.admin.call("devices.get", ["id": json, "select": .string("{ \(Self.fields) }")])
    }
}

extension SentEvent {
    /// The parameters of the event.
    var members: [(String, JSONValue)] {
        [
            ("sequence_number", JSONValue(number)), ("delta", JSONValue(delta)), ("gateway_timestamp", gateway.json),
        ] + (device.map { [("device_timestamp", $0.json)] } ?? [])
    }
}
