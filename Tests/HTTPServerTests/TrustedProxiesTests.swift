import Testing

@testable import HTTPServer

@Suite struct TrustedProxiesTests {
    private func client(_ trusted: [String], peer: String?, _ forwarded: [Substring]) throws -> String? {
        try #require(TrustedProxies(trusted)).client(peer: peer, forwarded: forwarded)
    }

    @Test func `X-Forwarded-For is ignored unless the peer is a configured proxy`() throws {
        #expect(try client([], peer: "192.0.2.1", ["10.0.0.1"]) == "192.0.2.1")
        #expect(try client(["10.0.0.0/8"], peer: "192.0.2.1", ["198.51.100.7"]) == "192.0.2.1")
        #expect(try client(["10.0.0.0/8"], peer: nil, ["198.51.100.7"]) == nil)
        #expect(try client(["10.0.0.0/8"], peer: "11.0.0.1", ["198.51.100.7"]) == "11.0.0.1")
    }

    @Test func `the list is read from its end as long as the entries are trusted proxies`() throws {
        let trusted = ["10.0.0.0/8", "127.0.0.1", "fd00::/8"]
        #expect(try client(trusted, peer: "127.0.0.1", []) == "127.0.0.1")
        #expect(try client(trusted, peer: "127.0.0.1", ["198.51.100.7"]) == "198.51.100.7")
        #expect(try client(trusted, peer: "127.0.0.1", ["1.1.1.1", "198.51.100.7", " 10.1.2.3"]) == "198.51.100.7")
        #expect(try client(trusted, peer: "fd12::1", ["1.1.1.1", "[2001:db8::7]:4711"]) == "2001:db8::7")
        #expect(try client(trusted, peer: "::ffff:127.0.0.1", ["198.51.100.7:4711"]) == "198.51.100.7")
        // If all are trusted, the first entry is the client.
        #expect(try client(trusted, peer: "127.0.0.1", ["10.0.0.9", "10.0.0.8"]) == "10.0.0.9")
        // An entry that is not an address ends the list.
        #expect(try client(trusted, peer: "127.0.0.1", ["1.1.1.1", "unknown"]) == "127.0.0.1")
        #expect(try client(trusted, peer: "127.0.0.1", ["1.1.1.1", "unknown", "10.0.0.8"]) == "10.0.0.8")
    }

    @Test func `a trusted proxy that names no client, or none that can be read, hides it`() throws {
        let trusted = try #require(TrustedProxies(["10.0.0.0/8", "127.0.0.1"]))
        func hides(_ peer: String?, _ forwarded: [Substring]) -> Bool {
            trusted.hidesClient(peer: peer, forwarded: forwarded)
        }
        #expect(hides("127.0.0.1", []))
        #expect(hides("127.0.0.1", ["unknown"]))
        #expect(hides("127.0.0.1", ["198.51.100.7", "unknown", "10.0.0.8"]))
        #expect(!hides("127.0.0.1", ["unknown", "198.51.100.7"]))
        #expect(!hides("127.0.0.1", ["10.0.0.9", "10.0.0.8"]))
        #expect(!hides("192.0.2.1", []))
        #expect(!hides(nil, []))
        #expect(!TrustedProxies().hidesClient(peer: "127.0.0.1", forwarded: ["unknown"]))
    }

    @Test func `a network's prefix may have any number of bits`() throws {
        for (network, inside, outside) in [
            ("192.0.2.128/25", "192.0.2.129", "192.0.2.127"), ("10.0.0.0/9", "10.127.255.255", "10.128.0.0"),
            ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"), ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("0.0.0.0/0", "203.0.113.1", "2001:db8::1"),
        ] {
            #expect(try client([network], peer: inside, ["9.9.9.9"]) == "9.9.9.9", "\(network)")
            #expect(try client([network], peer: outside, ["9.9.9.9"]) == outside, "\(network)")
        }
    }

    @Test(arguments: ["", "x", "10.0.0.0/33", "10.0.0/8", "fd00::/129", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1"])
    func `a text that is not a network is refused`(text: String) {
        #expect(TrustedProxies([text]) == nil)
    }
}
