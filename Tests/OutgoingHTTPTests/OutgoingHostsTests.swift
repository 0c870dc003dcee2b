import OutgoingHTTP
import Testing

struct OutgoingHostsTests {
    @Test func `a host needs https and public addresses, unless it is named`() throws {
        let hosts = OutgoingHosts(named: ["127.0.0.1:8123", "intern.exemple.fr"])
        #expect(try hosts.target("https://discord.com/api").mustBePublic)
        #expect(try hosts.target("https://discord.com/api").host == "discord.com:443")
        #expect(try !hosts.target("http://127.0.0.1:8123/x").mustBePublic)
        #expect(try !hosts.target("https://INTERN.exemple.fr/x").mustBePublic)
        #expect(try hosts.target("https://127.0.0.1:8124/x").mustBePublic)
    }

    @Test func `a request for some hosts goes to these, at the usual port, and to named ones`() throws {
        let hosts = OutgoingHosts(named: ["127.0.0.1:8123"])
        for url in ["https://discord.com/x", "https://DISCORD.com:443/x", "http://127.0.0.1:8123/x"] {
            #expect(throws: Never.self) { try hosts.target(url, among: ["discord.com"]) }
        }
        for url in ["https://exemple.fr/x", "https://discord.com:8443/x", "https://discord.com.exemple.fr/x"] {
            #expect(throws: OutgoingRequestError.self) { try hosts.target(url, among: ["discord.com"]) }
        }
    }

    @Test(arguments: [
        "", "discord.com", "http://discord.com/x", "ftp://127.0.0.1:8123/x", "https://user@discord.com/",
        "https://user:secret@discord.com/", "https://discord.com\\@127.0.0.1:8123/", "https:///x",
        "https://discord.com/a b", "https://discord.com/\r\nHost: x", "file:///etc/passwd", "gopher://127.0.0.1:8123/",
        "http://127.0.0.1:8124/x",
    ])
    func `any other address is refused`(url: String) {
        #expect(throws: OutgoingRequestError.self) { try OutgoingHosts(named: ["127.0.0.1:8123"]).target(url) }
    }

    @Test(arguments: ["https://127.0.0.1:9/", "https://localhost:9/", "https://[::1]:9/", "https://169.254.169.254/"])
    func `a host without public addresses is refused when its connection is opened`(url: String) async throws {
        let client = OutgoingHTTPClient(OutgoingHosts())
        let target = try client.hosts.target(url)
        let error = await #expect(throws: OutgoingRequestError.self) {
            _ = try await client.send("POST", to: target, headers: [], body: [])
        }
        #expect(error?.kind == .refused)
    }
}
