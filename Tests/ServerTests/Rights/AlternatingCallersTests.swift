import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md, Rights: "100,000 calls of alternating users over a pool of 2, with errors and cancellations: no answer
/// under another identity". Makes fewer calls, over HTTP; every row holds its writer, and the journal holds the identity that
/// the database was given.
@Suite struct AlternatingCallersTests {
    @Test func `no result and no journal entry carries the identity of another caller`() async throws {
        let server = try await TestServer.start(["--pool-size", "2", "--auth-pool-size", "2"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                let admin = try await server.client(TestServer.admin)
                let user = try await server.client(TestServer.user)
                group.addTask {
                    for round in 0..<150 {
                        try await step(worker &+ round &* 5, on: server, admin, user)
                    }
                }
            }
            try await group.waitForAll()
        }
        // A create whose connection was closed may still be running.
        try await eventually("nothing runs any more") {
            try await server.database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()"
            ).hasPrefix("0")
        }
        let entries = try await server.database.psql(
            """
            SELECT actor ->> 'email', after ->> 'ref_contrat', count(*) FROM journal
            WHERE table_name = 'sessions' GROUP BY 1, 2 ORDER BY 1
            """)
        let lines = entries.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
        #expect(
            lines.map { Array($0.prefix(2)) } == [
                [TestServer.admin, TestServer.admin], [TestServer.user, TestServer.user],
            ])
        let total = lines.compactMap { Int($0.last ?? "") }.reduce(0, +)
        #expect(total > 300)
        let left = try await server.database.psql("SELECT count(*) FROM sessions")
        #expect(left.hasPrefix("\(total)\n") || left == "\(total)")
    }

    private func step(_ number: Int, on server: TestServer, _ admin: RPCClient, _ user: RPCClient) async throws {
        switch number % 8 {
        case 0: #expect(try await admin.response("users.list")["result"] != nil)
        case 1, 2:
            for (client, email) in [(user, TestServer.user), (admin, TestServer.admin)] {
                let answer = try await client.response("sessions.create", Self.creation(email))
                #expect(answer.at("/result/ref_contrat") == .string(email), "\(answer.json)")
            }
        case 3:
            let values = JSONValue.merging(Fixtures.session([("client_id", 999_999_999)]))
            #expect(try await user.refusal("sessions.create", ["values": values])["code"] == -32602)
        case 4: #expect(try await user.refusal("clients.create", ["values": ["raison_sociale": "x"]])["code"] == 403)
        case 5:
            for (client, email) in [(user, TestServer.user), (admin, TestServer.admin)] {
                #expect(try await client.call("auth.me")["email"] == .string(email))
            }
        case 6:
            // The client disconnects before the response arrives.
            for (client, email) in [(user, TestServer.user), (admin, TestServer.admin)] {
                let hasty = try server.connection()
                let body =
                    #"{"jsonrpc":"2.0","id":1,"method":"sessions.create","params":\#(Self.creation(email).json)}"#
                try await hasty.send(
                    "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        + "Authorization: Bearer \(client.token ?? "")\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
                hasty.shutdown()
            }
        default:
            let taken: JSONValue = ["values": ["email": .string(TestServer.user)]]
            #expect(try await admin.refusal("users.create", taken)["code"] == 409)
        }
    }

    /// A session whose values name its creator.
    private static func creation(_ email: String) -> JSONValue {
        ["values": .merging(Fixtures.session([("ref_contrat", .string(email))])), "select": "{ ref_contrat }"]
    }
}
