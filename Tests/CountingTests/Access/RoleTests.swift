import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Roles" and the columns "read / create, update, delete" and "Commands".
@Suite struct RoleTests {
    private enum Caller: String, CaseIterable {
        case admin, viewer, device, user
    }

    /// Who may call what. Any params do: a right is looked at before them, and without it the answer is 403.
    private static let methods: [(String, JSONValue, Set<Caller>)] = [
        ("locations.list", [:], [.admin, .viewer]),
        ("locations.aggregate", ["select": "{ count }"], [.admin, .viewer]),
        ("devices.list", [:], [.admin, .viewer, .device]), ("entries.list", [:], [.admin, .viewer, .device]),
        ("entries.aggregate", ["select": "{ count }"], [.admin, .viewer, .device]),
        ("counter_states.list", [:], [.admin, .viewer]), ("counter_snapshots.list", [:], [.admin, .viewer]),
        ("counter_kpis.list", ["location_id": 1], [.admin, .viewer]),
        ("counter_charts.list", ["location_id": 1], [.admin, .viewer]),
        ("counter_issues.list", ["location_id": 1], [.admin, .viewer]),
        ("locations.create", ["values": [:]], [.admin]), ("locations.update", ["id": 0, "values": [:]], [.admin]),
        ("locations.delete", ["id": 0], [.admin]), ("devices.create", ["values": [:]], [.admin]),
        ("devices.update", ["id": 0, "values": [:]], [.admin]), ("devices.delete", ["id": 0], [.admin]),
        ("entries.record", [:], [.device]), ("entries.record_batch", [:], [.device]),
        ("devices.heartbeat", [:], [.device]), ("entries.override", [:], [.admin]), ("entries.simulate", [:], [.admin]),
        ("locations.end_day", [:], [.admin]), ("counter_snapshots.close_days", ["dry_run": true], [.admin]),
    ]

    @Test func `each method has its roles, and is forbidden to the others`() async throws {
        let site = try await CountingServer.running().site()
        let clients: [Caller: RPCClient] = [
            .admin: site.admin, .viewer: try await site.served.viewer(), .device: try await site.device().client,
            .user: try await site.served.server.client(TestServer.user),
        ]
        for (method, params, allowed) in Self.methods {
            for (caller, client) in clients {
                let code = try await client.response(method, params).at("/error/code")
                let isForbidden = code == 403
                #expect(isForbidden != allowed.contains(caller), "\(method) as \(caller): \(code.json)")
            }
        }
    }

    @Test func `entries, states and snapshots have no methods that create, change or delete them`() async throws {
        let site = try await CountingServer.running().site()
        for entity in ["entries", "counter_states", "counter_snapshots"] {
            for method in ["create", "update", "delete"] {
                let error = try await site.admin.refusal("\(entity).\(method)", ["id": site.json, "values": [:]])
                #expect(error["code"] == -32601, "\(entity).\(method): \(error.json)")
            }
        }
    }

    @Test func `a viewer reads everything of a location, and nobody's account`() async throws {
        let site = try await CountingServer.running().site()
        let viewer = try await site.served.viewer()
        _ = try await site.admin.call("entries.override", ["location_id": site.json, "delta": 1])
        let read = try await viewer.call(
            "locations.get",
            [
                "id": site.json,
                "select": "{ name state { current_count } devices { kind } entries { delta device { name } } }",
            ])
        #expect(read.at("/state/current_count") == 1)
        #expect(read.at("/devices/0/kind") == "manual")
        #expect(read.at("/entries/0/delta") == 1)
        let error = try await viewer.refusal("entries.list", ["select": "{ user { email } }"])
        #expect(error["code"] == -32602 || error["code"] == 403, "\(error.json)")
        #expect(!error.json.contains(TestServer.admin))
        #expect(try await viewer.refusal("users.list")["code"] == 403)
    }

    @Test func `without a sign-in, the answer is 401`() async throws {
        let client = try await CountingServer.running().server.client(nil)
        for method in ["locations.list", "entries.record", "counter_kpis.list"] {
            #expect(try await client.refusal(method)["code"] == 401, "\(method)")
        }
    }
}
