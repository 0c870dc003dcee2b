import Testing

@Suite struct RedirectTests {
    private func location(_ path: String, _ arguments: [String] = []) async throws -> (status: Int, location: String?) {
        let server = try await TLSServer.running()
        let answer = try await server.curl(
            "http://127.0.0.1:\(try await server.redirectPort())\(path)", ["--path-as-is"] + arguments)
        return (answer.status, answer["location"])
    }

    @Test(arguments: ["localhost", "learntrack.test", "127.0.0.1", "LearnTrack.Test:80"])
    func `plain HTTP is answered with 308 to the same address over HTTPS`(host: String) async throws {
        let port = try await TLSServer.running().port
        let answer = try await location("/sessions?a=b&c=%20", ["-H", "Host: \(host)"])
        #expect(answer.status == 308)
        let name = host.prefix { $0 != ":" }
        #expect(answer.location == "https://\(name):\(port)/sessions?a=b&c=%20")
    }

    @Test func `a call is not executed and keeps its method`() async throws {
        let answer = try await location("/rpc", ["-d", #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#])
        #expect(answer.status == 308)
        #expect(answer.location?.hasSuffix("/rpc") == true)
    }

    /// The certificate is for localhost first.
    @Test(arguments: [
        ["-H", "Host: evil.example"],
        ["--request-target", "http://evil.example/page", "-H", "Host: evil.example"],
    ])
    func `nobody is sent to a host that the certificate is not for`(arguments: [String]) async throws {
        let port = try await TLSServer.running().port
        let answer = try await location("/page", arguments)
        #expect(answer.status == 308)
        #expect(answer.location == "https://localhost:\(port)/page")
    }

    @Test(arguments: ["localhost@evil.example", "[::1", "localhost:99999"])
    func `a host with a name before it, without an end or with a wrong port is none`(host: String) async throws {
        #expect(try await location("/page", ["-H", "Host: \(host)"]).status == 400)
    }

    @Test func `a path that looks like a host stays a path`() async throws {
        let port = try await TLSServer.running().port
        let answer = try await location("//evil.example/page")
        #expect(answer.location == "https://127.0.0.1:\(port)//evil.example/page")
    }
}
