import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct HTTPSTests {
    @Test(arguments: [("--http2", "2"), ("--http1.1", "1.1")])
    func `curl is answered over HTTPS, by the version of HTTP that it asks for`(option: String, version: String)
        async throws
    {
        let server = try await TLSServer.running()
        let health = try await server.curl("/health/live", [option])
        #expect(health.status == 200)
        #expect(health.version == version)
        #expect(health.body == #"{"status":"ok"}"#)
        let call = try await server.curl(
            "/rpc",
            [option, "-H", "Content-Type: application/json", "-d", #"{"jsonrpc":"2.0","id":7,"method":"nope"}"#])
        #expect(call.status == 200)
        #expect(try JSONValue.parse(Array(call.body.utf8))["id"] == 7)
    }

    @Test(arguments: ["h2", "http/1.1"])
    func `client and server agree on the version of HTTP by ALPN`(name: String) async throws {
        let outcome = try await TLSServer.running().handshake(["-alpn", name])
        #expect(outcome.output.contains("ALPN protocol: \(name)"), "\(outcome.output)")
    }

    @Test func `TLS 1.2 and 1.3 are spoken, and 1.1 is not`() async throws {
        let server = try await TLSServer.running()
        for (option, name) in [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")] {
            let outcome = try await server.handshake([option])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains(name))
        }
        // Without the lowest security level openssl itself would refuse it.
        let old = try await server.handshake(["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
        #expect(old.status != 0)
        #expect(old.output.contains("Cipher is (NONE)"), "\(old.output)")
        #expect(old.errors.contains("alert protocol version"), "\(old.errors)")
    }

    @Test func `what is not TLS is not answered, and the server goes on`() async throws {
        let server = try await TLSServer.running()
        let connection = try HTTPConnection(port: server.port)
        try await connection.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try await connection.isClosedByServer())
        #expect(try await server.curl("/health/live").status == 200)
    }

    @Test(arguments: ["/", "/health/live", "/metrics", "/rpc", "/nothing", "/signatures/1"])
    func `both versions of HTTP answer with the same headers`(path: String) async throws {
        let server = try await TLSServer.running()
        let first = try await server.curl(path, ["--http1.1", "--compressed"])
        let second = try await server.curl(path, ["--http2", "--compressed"])
        #expect(first.status == second.status)
        let names = [first, second].map { Set($0.headers.map(\.name)).subtracting(["connection"]) }
        #expect(names[0] == names[1])
        #expect(first["strict-transport-security"] == "max-age=31536000")
        #expect(first["x-content-type-options"] == "nosniff")
        #expect(first.headers.count { $0.name == "x-content-type-options" } == 1)
    }

    @Test(arguments: ["/", "/signatures/1"])
    func `pages have a policy, tell no other site their address and are shown in no frame`(path: String) async throws {
        let page = try await TLSServer.running().curl(path)
        #expect(page["content-type"] == "text/html; charset=utf-8")
        let policy = page["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'"), "\(policy)")
        #expect(policy.contains("frame-ancestors 'none'"), "\(policy)")
        #expect(!policy.contains("unsafe"), "\(policy)")
        #expect(page["referrer-policy"] == "no-referrer")
    }

    @Test func `plain HTTP has no Strict-Transport-Security`() async throws {
        let response = try await TestServer.running().connection().request("GET", "/health/live")
        #expect(response.status == 200)
        #expect(response.headers["strict-transport-security"] == nil)
    }
}
