import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Gateways (soft lock)". Time passes by an UPDATE of what the state has noted.
@Suite struct GatewayTests {
    private static func pass(_ seconds: Int, at site: Site, _ column: String = "gateway_seen_at") async throws {
        try await site.served.psql(
            """
            UPDATE counting.counter_states SET \(column) = \(column) - interval '\(seconds) seconds' WHERE id = \(site.id)
            """)
    }

    private static func holder(_ site: Site) async throws -> JSONValue? {
        try await site.state()["gateway_session_id"]
    }

    private static func event(_ number: Int) -> SentEvent { SentEvent(number: number, gateway: CountingServer.now()) }

    @Test func `the session that records first holds the location, and its calls keep it`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let entry = try await device.record(Self.event(1), session: "a")
        #expect(entry["gateway_conflict"] == false && entry["gateway_session_id"] == "a")
        let first = try await site.state()
        expect(first, has: ["gateway_session_id": "a", "gateway_conflict_at": .null, "gateway_conflict": false])
        let seen = try #require(first["gateway_seen_at"]?.moment)
        #expect(abs(CountingServer.now() - seen) < 10 * Moment.second)
        // Batches and heartbeats count as well.
        try await Self.pass(40, at: site)
        try await device.recordBatch([Self.event(2)], session: "a")
        #expect(try #require(try await site.state()["gateway_seen_at"]?.moment) > seen)
        try await Self.pass(40, at: site)
        try await device.heartbeat(session: "a")
        #expect(try #require(try await site.state()["gateway_seen_at"]?.moment) > seen)
    }

    @Test func `the calls of another session are accepted and marked, and the holder stays`() async throws {
        let site = try await CountingServer.running().site()
        let (one, two) = (try await site.device(), try await site.device())
        try await one.heartbeat(session: "a")
        let seen = try await site.state()["gateway_seen_at"]
        let entry = try await two.record(Self.event(1), session: "b")
        #expect(entry["gateway_conflict"] == true && entry["gateway_session_id"] == "b")
        let state = try await site.state()
        expect(state, has: ["gateway_session_id": "a", "gateway_conflict": true, "current_count": 1])
        #expect(state["gateway_seen_at"] == seen, "the other one does not prolong the lease")
        let conflict = try #require(state["gateway_conflict_at"]?.moment)
        // In a batch, every entry is marked; a heartbeat notes the conflict, too.
        try await two.recordBatch([Self.event(2), Self.event(3)], session: "b")
        #expect(try await site.entries(["gateway_conflict": true]).count == 3)
        let batch = try #require(try await site.state()["gateway_conflict_at"]?.moment)
        #expect(batch > conflict)
        try await two.heartbeat(session: "b")
        #expect(try #require(try await site.state()["gateway_conflict_at"]?.moment) > batch)
        // The holder goes on without a mark.
        let own = try await one.record(Self.event(1), session: "a")
        #expect(own["gateway_conflict"] == false)
        #expect(try await Self.holder(site) == "a")
    }

    @Test func `the lease runs out when the holder is silent`() async throws {
        let site = try await CountingServer.running().site([("gateway_lease_seconds", 60)])
        let device = try await site.device()
        try await device.record(Self.event(1), session: "a")
        try await Self.pass(50, at: site)
        #expect(try await device.record(Self.event(2), session: "b")["gateway_conflict"] == true)
        #expect(try await Self.holder(site) == "a")
        try await Self.pass(11, at: site)
        #expect(try await device.record(Self.event(3), session: "b")["gateway_conflict"] == false)
        #expect(try await Self.holder(site) == "b")
        // The one that held it before is the other one now.
        #expect(try await device.record(Self.event(4), session: "a")["gateway_conflict"] == true)
        #expect(try await Self.holder(site) == "b")
        // The lease is the location's.
        try await Self.pass(61, at: site)
        try await site.update(["gateway_lease_seconds": 300])
        #expect(try await device.record(Self.event(5), session: "a")["gateway_conflict"] == true)
        try await Self.pass(240, at: site)
        try await device.heartbeat(session: "a")
        #expect(try await Self.holder(site) == "a", "a heartbeat takes it, too")
    }

    @Test func `a conflict shows on the state for the time of a lease`() async throws {
        let site = try await CountingServer.running().site([("gateway_lease_seconds", 60)])
        let device = try await site.device()
        try await device.heartbeat(session: "a")
        try await device.heartbeat(session: "b")
        #expect(try await site.state()["gateway_conflict"] == true)
        try await Self.pass(50, at: site, "gateway_conflict_at")
        #expect(try await site.state()["gateway_conflict"] == true)
        try await Self.pass(11, at: site, "gateway_conflict_at")
        let state = try await site.state()
        #expect(state["gateway_conflict"] == false && state["gateway_conflict_at"] != .null)
    }

    @Test func `each location has a holder of its own, and override and simulate are no gateways`() async throws {
        let site = try await CountingServer.running().site()
        let other = try await CountingServer.running().site()
        let (here, there) = (try await site.device(), try await other.device())
        try await here.record(Self.event(1), session: "a")
        #expect(try await there.record(Self.event(1), session: "b")["gateway_conflict"] == false)
        let before = try await other.state()
        let simulator = try await other.counter([("kind", "simulator")])
        _ = try await other.admin.call("entries.override", ["location_id": other.json, "delta": 1])
        _ = try await other.admin.call("entries.simulate", ["device_id": JSONValue(simulator), "delta": 1])
        let state = try await other.state()
        for column in ["gateway_session_id", "gateway_seen_at", "gateway_conflict_at"] {
            #expect(state[column] == before[column], "\(column)")
        }
        #expect(try await other.entries(["gateway_session_id": .null]).count == 2)
        #expect(try await other.entries(["gateway_conflict": true]).isEmpty)
    }
}
