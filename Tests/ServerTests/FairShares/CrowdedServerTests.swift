import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// What clients that send halves, read nothing or do nothing cost the others, on one running server.
@Suite(.serialized) struct CrowdedServerTests {
    private static let server = Shared { try await TestServer.start() }
    /// In kilobytes, as the server's goal has it.
    private static let maxMemory = 200_000

    /// Reads, each on a connection of its own, that must all succeed.
    ///
    /// - Parameter limit: of a call. Fair shares are measured in a release build: this one finds calls that starve.
    private func expectOthersServed(
        _ server: TestServer, within limit: Duration = .seconds(10), _ comment: Comment
    ) async throws {
        for _ in 0..<10 {
            let client = try await server.client()
            let clock = ContinuousClock.now
            #expect(try await client.call("sessions.list", ["first": 20])["items"] != nil, comment)
            #expect(clock.duration(to: .now) < limit, comment)
        }
    }

    /// Mapped files do not count: the program itself is many times larger in a build for debugging.
    private func expectMemoryBounded(_ server: TestServer) throws {
        let status = try String(contentsOfFile: "/proc/\(try #require(server.process.pid))/status", encoding: .utf8)
        func kilobytes(_ name: String) throws -> Int {
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
            return try #require(Int(line.split(separator: " ")[1]))
        }
        let peak = try kilobytes("VmHWM") - kilobytes("RssFile")
        #expect(peak <= Self.maxMemory)
    }

    /// Sends what the server takes. It may close the connection meanwhile.
    private func sendSome(_ bytes: [UInt8], on connection: HTTPConnection) async {
        // It fails when the connection has given way to another one.
        try? await connection.send(bytes)
    }

    private func half(of length: Int, _ token: String?) -> [UInt8] {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let head = "POST /rpc HTTP/1.1\r\nHost: x\r\n\(authorization)Content-Length: \(length)\r\n\r\n"
        return Array(head.utf8) + [UInt8](repeating: 0x20, count: length - 1)
    }

    @Test func `half-sent bodies, with a token and without, leave room for the others`() async throws {
        let server = try await Self.server.value()
        let token = try #require(try await server.client().token)
        var held: [HTTPConnection] = []
        for count in 0..<360 {
            let connection = try server.connection()
            held.append(connection)
            await sendSome(count % 6 > 0 ? half(of: 65_000, nil) : half(of: 1_000_000, token), on: connection)
        }
        try await expectOthersServed(server, "beside \(held.count) half-sent bodies")
        let padded = #"{"jsonrpc":"2.0","id":1,"method":"sessions.list"}"# + String(repeating: " ", count: 900_000)
        // It is refused while every other body has moved on within the last second.
        try await eventually("a large body finds room", within: .seconds(20)) {
            guard let large = try? await server.client().post(padded), large.status == 200 else { return false }
            return try JSONValue.parse(large.body)["result"] != nil
        }
        try expectMemoryBounded(server)
    }

    @Test func `clients that never read leave room for the others`() async throws {
        let server = try await Self.server.value()
        let discover = (0..<50).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"rpc.discover"}"# }
        let body = Array("[\(discover.joined(separator: ","))]".utf8)
        let request = Array("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        var deaf: [HTTPConnection] = []
        for _ in 0..<23 {
            let connection = try server.connection()
            deaf.append(connection)
            await sendSome(request + request, on: connection)
        }
        try await expectOthersServed(server, "beside \(deaf.count) clients that never read")
        for _ in 0..<3 {
            try await eventually("a large response finds room", within: .seconds(20)) {
                let document = try? await RPCClient(port: server.port, token: nil).call("rpc.discover")
                return document?["methods"] != nil
            }
        }
        try expectMemoryBounded(server)
    }

    @Test func `an account that never reads its large responses leaves no memory behind`() async throws {
        let server = try await Self.server.value()
        let rows = try await Fixtures(server)
        let token = try #require(rows.client.token)
        let id = try await rows.session()
        _ = try await server.database.psql(
            "SET session_replication_role = replica; UPDATE sessions SET lieu = repeat('x', 1 << 20) WHERE id = \(id)")
        let select = (0..<8).map { "a\($0): lieu" }.joined(separator: " ")
        let call =
            #"{"jsonrpc":"2.0","id":1,"method":"sessions.get","params":{"id":\#(id),"select":"{ \#(select) }"}}"#
        let head = "POST /rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
        let request = Array("\(head)Content-Length: \(call.utf8.count)\r\n\r\n\(call)".utf8)
        var deaf: [HTTPConnection] = []
        for _ in 0..<24 {
            let connection = try server.connection()
            deaf.append(connection)
            await sendSome(request, on: connection)
            // Once the room is full, it comes from connections that have not read for a second.
            try await eventually("a large response finds room", within: .seconds(20)) {
                guard let answer = try? await server.client().post(call) else { return false }
                return answer.status == 200 && answer.body.count > 8 << 20
            }
        }
        try await expectOthersServed(server, "beside \(deaf.count) connections that never read")
        try expectMemoryBounded(server)
    }

    @Test func `idle connections leave a place for a newcomer`() async throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let server = try await Self.server.value()
        var idle: [HTTPConnection] = []
        for _ in 0..<2_500 { idle.append(try server.connection()) }
        try await expectOthersServed(server, "beside \(idle.count) idle connections")
        try expectMemoryBounded(server)
    }

    /// How long they take is measured in a release build, by the scene `ids` of `script/bench --scenes`: a build for
    /// debugging takes tenths of a second to read one of these bodies.
    @Test func `small calls are answered beside large bodies of JSON`() async throws {
        let server = try await Self.server.value()
        let ids = Array(repeating: "1", count: 20_000).joined(separator: ",")
        let body = #"{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"where":{"id":{"in":[\#(ids)]}}}}"#
        let isOver = Flag()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    let client = try await server.client()
                    repeat {
                        let answer = try JSONValue.parse(try await client.post(body).body)
                        #expect(answer["result"] != nil, "\(answer.json.prefix(300))")
                    } while !isOver.isSet
                }
            }
            defer { isOver.set() }
            try await expectOthersServed(server, within: .seconds(30), "beside large bodies")
            isOver.set()
            try await group.waitForAll()
        }
        try expectMemoryBounded(server)
    }

    @Test func `clients that disconnect after a large body leave no memory behind`() async throws {
        let server = try await Self.server.value()
        let token = try #require(try await server.client().token)
        // Escapes take long to read, and the rest takes memory.
        let text = String(repeating: #"\u00e9"#, count: 50_000) + String(repeating: "x", count: 600_000)
        let body = #"{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"search":"\#(text)"}}"#
        let head = "POST /rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
        let request = Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        for _ in 0..<12 {
            let connections = try (0..<15).map { _ in try server.connection() }
            for connection in connections {
                connection.resetWhenClosed()
                await sendSome(request, on: connection)
            }
            // Meanwhile the server receives the last bodies.
            try await expectOthersServed(server, within: .seconds(30), "beside large bodies")
        }
        try await expectOthersServed(server, within: .seconds(30), "beside bodies without a client")
        try expectMemoryBounded(server)
    }
}
