import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md, Faults: a call cancelled at any point.
@Suite struct LeavingClientFaultTests {
    private static let clients = 1_000

    @Test func `a thousand clients that leave at any point leave no statement, transaction or connection behind`()
        async throws
    {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let id = try await rows.session()
        let token = try #require(rows.client.token)
        let calls = [
            #"{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"search":"a","count":true}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"sessions.update","params":{"id":\#(id),"values":{"lieu":"x"}}}"#,
            #"[{"jsonrpc":"2.0","id":1,"method":"auth.me"},{"jsonrpc":"2.0","id":2,"method":"clients.list"}]"#,
            #"{"jsonrpc":"2.0","id":1,"method":"sessions.duplicate","params":{"id":\#(id)}}"#,
        ]
        try await withThrowingTaskGroup { group in
            for part in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(part))
                    for _ in 0..<(Self.clients / 4) {
                        let call = random.pick(calls)
                        let request =
                            "POST /rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
                            + "Content-Length: \(call.utf8.count)\r\n\r\n\(call)"
                        let connection = try server.connection()
                        connection.resetWhenClosed()
                        let isWhole = random.chance(0.8)
                        try await connection.send(
                            isWhole ? request : String(request.prefix(random.number(1...request.count))))
                        // The points at which a client may leave are spread over the time that a call takes.
                        try await Task.sleep(for: .microseconds(random.number(0...4_000)))
                    }
                }
            }
            try await group.waitForAll()
        }
        // What the server has not ended yet, is ended within a second.
        try await eventually("every statement has ended", within: .seconds(1) * DatabaseFaultTests.indulgence) {
            try await server.database.psql(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'
                """) == "0"
        }
        // Each connection of the pool takes a call.
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    let client = try await server.client()
                    for _ in 0..<5 { #expect(try await client.call("sessions.list", ["first": 1])["items"] != nil) }
                }
            }
            try await group.waitForAll()
        }
        _ = try await rows.client.call("sessions.update", ["id": JSONValue(id), "values": ["lieu": "Lyon"]])
        #expect(try await server.stop() == 0)
    }
}
