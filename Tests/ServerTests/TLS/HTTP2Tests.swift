import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct HTTP2Tests {
    /// INTERNAL_ERROR and the like would be a fault of the server.
    private static let enhanceYourCalm: JSONValue = 11

    @Test func `a hundred requests at once over one connection are all answered`() async throws {
        let seen = try await TLSServer.running().http2(["streams", "100"])
        #expect(seen["max_streams"] == 100)
        #expect(seen["answered"] == 100)
        #expect(seen["whole"] == 100)
        #expect(seen["goaways"] == [])
    }

    @Test func `a flood of streams ends its connection, and others are answered`() async throws {
        let server = try await TLSServer.running()
        let seen = try await server.http2(["streams", "400"])
        #expect(seen["closed"] == true, "\(seen.json)")
        let answered = try #require(seen["answered"]?.int)
        #expect(answered <= 100)
        #expect(try await server.curl("/health/live", ["--http2"]).status == 200)
    }

    @Test func `a flood of resets ends its connection, and others are answered`() async throws {
        let server = try await TLSServer.running()
        let seen = try await server.http2(["resets", "2000"])
        #expect(seen["closed"] == true, "\(seen.json)")
        let codes = seen["goaways"]?.array.map { $0["code"] } ?? []
        #expect(codes.allSatisfy { $0 == Self.enhanceYourCalm }, "\(seen.json)")
        #expect(try await server.curl("/health/live", ["--http2"]).status == 200)
    }

    @Test(arguments: ["8", "32"])
    func `a flood of WINDOW_UPDATE, or of frames of an unknown type, ends its connection`(kind: String) async throws {
        let server = try await TLSServer.running()
        let seen = try await server.http2(["frames", kind, "20000"])
        #expect(seen["closed"] == true, "\(seen.json)")
        let codes = seen["goaways"]?.array.map { $0["code"] } ?? []
        #expect(codes.allSatisfy { $0 == Self.enhanceYourCalm }, "\(seen.json)")
        let few = try await server.http2(["frames", kind, "500"])
        #expect(few["closed"] == false, "\(few.json)")
    }

    @Test func `fields have the limits that they have in HTTP 1`() async throws {
        let server = try await TLSServer.running()
        let usual = try await server.http2(["fields", "90"])
        #expect(usual["status"] == 200)
        let many = try await server.http2(["fields", "120"])
        #expect(many["answered"] == 0)
        #expect(many["status"] != 200)
        let long = try await server.http2(["head", "x=*20000"])
        #expect(long["answered"] == 0)
        #expect(long["status"] != 200)
    }

    @Test(arguments: [
        "content-length=+0", "content-length=0, 0", "content-length=70, 70", "content-length=-0",
        ":authority=user@localhost", ":authority=localhost/x", ":authority=localhost:abc", ":path=/health/live#x",
        ":path=https://localhost/health/live", ":scheme=ftp",
    ])
    func `a length that is no number, a host with a name or a path, and a target of another form are malformed`(
        field: String
    ) async throws {
        let seen = try await TLSServer.running().http2(["head", field])
        // HTTP/2 itself knows that 70 bytes are missing, and resets the stream (RFC 9113, 8.1.1).
        #expect(seen["status"] == 400 || field.hasSuffix("70, 70") && seen["resets"] == 1, "\(seen.json)")
    }

    @Test(arguments: ["transfer-encoding=chunked", "connection=close", "host=evil.example", "X-Upper=1"])
    func `fields that HTTP 2 forbids, and a second host, are refused`(field: String) async throws {
        let seen = try await TLSServer.running().http2(["head", field])
        #expect(seen["answered"] == 0, "\(seen.json)")
    }

    @Test func `a body over the limit is refused with 413, and one over 64 KiB needs a token`() async throws {
        let server = try await TLSServer.running()
        let large = [UInt8](repeating: 0x20, count: 1_048_577)
        let file = server.certificate.url("large")
        try Data(large).write(to: file)
        let json = ["--http2", "-H", "Content-Type: application/json", "--data-binary", "@\(file.path)"]
        let refused = try await server.curl("/rpc", json)
        #expect(refused.status == 413)
        #expect(try JSONValue.parse(Array(refused.body.utf8)).at("/error/data/limit") == "body")
        let medium = server.certificate.url("medium")
        try Data(large.prefix(70_000)).write(to: medium)
        let anonymous = try await server.curl("/rpc", json.dropLast() + ["@\(medium.path)"])
        #expect(anonymous.status == 401)
    }

    @Test func `large answers arrive whole`() async throws {
        let server = try await TLSServer.running()
        let body = #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#
        let arguments = ["-H", "Content-Type: application/json", "-d", body]
        let first = try await server.curl("/rpc", ["--http1.1"] + arguments)
        let second = try await server.curl("/rpc", ["--http2"] + arguments)
        #expect(first.body.utf8.count > 100_000)
        #expect(first.body == second.body)
    }

    @Test func `a listener hears of changes over HTTP 2 while its connection is used for other requests`()
        async throws
    {
        let server = try await TLSServer.start(database: TestDatabase.create(on: EventTests.cluster.value()))
        let token = try await server.token()
        let listener = try await server.http2(
            ["events", token, "/events?tables=ecoles", "event: change|\"create\""], until: "listening")
        let call: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "ecoles.create", "params": ["values": ["nom": "École du Lac"]],
        ]
        let created = try await server.curl(
            "/rpc",
            [
                "--http2", "-H", "Content-Type: application/json", "-H", "Authorization: Bearer \(token)", "-d",
                call.json,
            ])
        #expect(try JSONValue.parse(Array(created.body.utf8))["result"] != nil, "\(created.body)")
        let seen = try await listener.report()
        #expect(seen["status"] == 200)
        #expect(seen["heard"]?.array.count == 2, "\(seen.json)")
    }

    @Test func `SIGTERM announces the end, ends idle connections and exits with status 0`() async throws {
        let server = try await TLSServer.start()
        let client = try await server.http2(["drain"], until: "waiting")
        let begin = ContinuousClock.now
        #expect(try await server.server.stop() == 0)
        #expect(ContinuousClock.now - begin < .seconds(10))
        let seen = try await client.report()
        #expect(seen["goaways"] == [["code": 0, "last": 1]], "\(seen.json)")
        #expect(seen["closed"] == true)
    }
}
