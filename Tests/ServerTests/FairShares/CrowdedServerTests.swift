import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

/// What clients that send halves, read nothing or do nothing cost the others, on one running server.
@Suite(.serialized) struct CrowdedServerTests {
    private static let server = Shared { try await TestServer.start() }
    /// In kilobytes, as the server's goal has it.
    private static let maxMemory = 200_000

    /// Reads, each on a connection of its own, that must all succeed.
    private func expectOthersServed(_ server: TestServer, _ comment: Comment) async throws {
        for _ in 0..<10 {
            let client = try await server.client()
            let clock = ContinuousClock.now
            #expect(try await client.call("sessions.list", ["first": 20])["items"] != nil, comment)
            #expect(clock.duration(to: .now) < .seconds(5), comment)
        }
    }

    private func expectMemoryBounded(_ server: TestServer) throws {
        let status = try String(contentsOfFile: "/proc/\(try #require(server.process.pid))/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let peak = try #require(Int(line.split(separator: " ")[1]))
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
        let large = try await server.client().post(padded)
        #expect(try JSONValue.parse(large.body)["result"] != nil)
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
            let document = try await RPCClient(port: server.port, token: nil).call("rpc.discover")
            #expect(document["methods"] != nil)
        }
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

    @Test func `large bodies of JSON delay no small call`() async throws {
        let server = try await Self.server.value()
        let ids = Array(repeating: "1", count: 60_000).joined(separator: ",")
        let body = #"{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"where":{"id":{"in":[\#(ids)]}}}}"#
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    let answer = try JSONValue.parse(try await server.client().post(body).body)
                    #expect(answer["result"] != nil, "\(answer.json.prefix(300))")
                }
            }
            try await expectOthersServed(server, "beside large bodies")
            try await group.waitForAll()
        }
        try expectMemoryBounded(server)
    }
}
