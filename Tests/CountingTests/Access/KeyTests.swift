import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Keys", for the roles of this domain.
@Suite struct KeyTests {
    @Test func `an administrator creates the account of a device, gives it its role, and creates its key`() async throws
    {
        let site = try await CountingServer.running().site()
        let device = try await site.counter()
        let account = try await site.served.account()
        let role = try await site.admin.call(
            "account_roles.create",
            ["values": ["account_id": account, "role": "counting_device", "subject": JSONValue(device)]])
        expect(role, has: ["account_id": account, "role": "counting_device", "subject": JSONValue(device)])
        let created = try await site.admin.call(
            "auth.create_access_key",
            [
                "account_id": account, "role": "counting_device", "name": "Porte nord",
                "expires_at": "2999-01-01T00:00:00Z",
            ])
        guard case .object(let members) = created else { throw TestEnvironmentError(created.json) }
        #expect(
            Set(members.members.map(\.name)) == [
                "id", "account_id", "role", "subject", "name", "expires_at", "last_used_at", "key",
            ])
        expect(
            created,
            has: [
                "account_id": account, "role": "counting_device", "subject": JSONValue(device), "name": "Porte nord",
                "expires_at": "2999-01-01T00:00:00+00:00", "last_used_at": .null,
            ])
        let key = try #require(created["key"]?.text)
        #expect(key.hasPrefix("lt_"))
        let listed = try await site.admin.call("auth.list_access_keys", ["account_id": account])
        #expect(listed.at("/items").array.map { $0["id"] } == [created["id"]])
        #expect(!listed.json.contains(key) && listed.at("/items/0")["key"] == nil, "it is shown this once")
        let own = try await site.served.client(key).call("devices.list", ["select": "{ id }"])
        #expect(own["items"] == [["id": JSONValue(device)]])
    }

    @Test func `an unknown subject and a role that the account lacks are refused at their place`() async throws {
        let site = try await CountingServer.running().site()
        let account = try await site.served.account()
        func give(_ subject: JSONValue) async throws -> [String] {
            try await site.admin.refusal(
                "account_roles.create",
                ["values": ["account_id": account, "role": "counting_device", "subject": subject]]
            ).paths
        }
        #expect(try await give(999_999_999) == ["/values/subject"])
        #expect(try await give(.null) == ["/values/subject"])
        let params: JSONValue = ["account_id": account, "role": "counting_device", "name": "x"]
        #expect(try await site.admin.refusal("auth.create_access_key", params).paths == ["/role"])
        _ = try await site.admin.call(
            "account_roles.create", ["values": ["account_id": account, "role": "counting_viewer"]])
        #expect(try await site.admin.refusal("auth.create_access_key", params).paths == ["/role"])
    }

    @Test func `a key that is revoked, has expired or never was is refused with its reason`() async throws {
        let served = try await CountingServer.running()
        let site = try await served.site()
        let device = try await site.counter()
        let created = try await served.key(role: "counting_device", subject: device)
        let client = try served.client(try #require(created["key"]?.text))
        #expect(try await client.response("devices.heartbeat", ["gateway_session_id": "a"])["result"] != nil)
        #expect(try await site.admin.call("auth.revoke_access_key", ["id": created["id"] ?? .null]) == [:])
        let start = ContinuousClock.now
        try await eventually("the key is refused") {
            try await client.response("devices.heartbeat", ["gateway_session_id": "a"]).at("/error/data/reason")
                == "revoked"
        }
        // A second, and what a busy machine takes to answer.
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(try await client.refusal("devices.list")["code"] == 401)

        let short = try await served.key(role: "counting_device", subject: device)
        try await served.psql("UPDATE access_keys SET expires_at = now() WHERE id = \(short["id"]?.json ?? "")")
        let expired = try served.client(try #require(short["key"]?.text))
        try await eventually("the key has expired") {
            try await expired.response("devices.list").at("/error/data/reason") == "expired"
        }
        let unknown = try served.client("lt_" + String(repeating: "A", count: 43))
        #expect(try await unknown.refusal("devices.list").at("/data/reason") == "invalid")
    }

    @Test func `a key acts in its role alone and makes no keys`() async throws {
        let served = try await CountingServer.running()
        let site = try await served.site()
        // An account with both roles: each key acts in one.
        let device = try await site.counter()
        let account = try await served.account()
        for (role, subject) in [("counting_device", JSONValue(device)), ("counting_viewer", .null)] {
            _ = try await site.admin.call(
                "account_roles.create",
                ["values": ["account_id": account, "role": .string(role), "subject": subject]])
        }
        for (role, others) in [("counting_device", ["locations.list"]), ("counting_viewer", ["devices.heartbeat"])] {
            let key = try await site.admin.call(
                "auth.create_access_key", ["account_id": account, "role": .string(role), "name": "Essai"])
            let client = try served.client(try #require(key["key"]?.text))
            for method in others + ["auth.create_access_key", "auth.list_access_keys", "auth.revoke_access_key"] {
                #expect(try await client.refusal(method)["code"] == 403, "\(role) \(method)")
            }
        }
        let accounts = try await site.admin.call("users.list", ["where": ["email": .string(TestServer.admin)]])
        let key = try await site.admin.call(
            "auth.create_access_key", ["account_id": accounts.at("/items/0/id"), "role": "admin", "name": "Essai"])
        let admin = try served.client(try #require(key["key"]?.text))
        #expect(try await admin.response("locations.list")["result"] != nil)
        let error = try await admin.refusal(
            "auth.create_access_key", ["account_id": account, "role": "counting_viewer", "name": "x"])
        #expect(error["code"] == 403)
    }
}
