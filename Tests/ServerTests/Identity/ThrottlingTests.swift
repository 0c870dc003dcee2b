import DomainKit
import JSON
import TestPostgres
import Testing

/// security.md: "10 failures for one account or 50 from one address in 15 min | 429 with growing delay (1 s at first);
/// the owner is never locked out for good; `X-Forwarded-For` counts only from configured proxies".
struct ThrottlingTests {
    private static func login(
        _ server: TestServer, _ email: String, _ password: String, from address: String? = nil
    ) async throws -> JSONValue {
        let body = """
            {"jsonrpc":"2.0","id":1,"method":"auth.login","params":{"email":"\(email)","password":"\(password)"}}
            """
        let client = try await server.client(nil)
        let headers = address.map { [("X-Forwarded-For", $0)] } ?? []
        return try JSONValue.parse(try await client.post(body, headers: headers).body)
    }

    @Test
    func
        `failures on one instance throttle the other, and behind a trusted proxy the owner elsewhere is not throttled`()
        async throws
    {
        let proxies = ["--trusted-proxies", "127.0.0.1,10.0.0.0/8"]
        let one = try await TestServer.start(proxies)
        let two = try await TestServer.start(proxies, database: one.database)
        let home = "192.0.2.10", guesser = "198.51.100.7, 10.0.0.3"
        #expect(try await Self.login(one, TestServer.user, TestServer.password, from: home)["result"] != nil)
        for index in 1...10 {
            let answer = try await Self.login([one, two][index % 2], TestServer.user, "faux", from: guesser)
            #expect(answer.at("/error/code") == 401)
        }
        // The pause of a second is prolonged, so that it does not end during a slow test.
        let stretched = """
            UPDATE attempts SET not_before = not_before + interval '1 hour' WHERE not_before IS NOT NULL
            RETURNING extract(epoch FROM not_before - last_at)::integer
            """
        #expect(try await one.database.psql(stretched) == "3601")
        for server in [one, two] {
            let answer = try await Self.login(server, TestServer.user, TestServer.password, from: guesser)
            #expect(answer.at("/error/code") == 429)
            #expect(try #require(answer.at("/error/data/retry_after").int) > 3000)
            #expect(answer.at("/error/data/code") == "rate_limited")
        }
        #expect(try await Self.login(two, TestServer.user, TestServer.password, from: home)["result"] != nil)
        let stored = try await one.database.psql("SELECT string_agg(network, ' ') FROM known_places")
        #expect(stored == "192.0.2.10")
    }

    @Test func `an answer that is one refusal for now has Retry-After, and a batch has not`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client(nil)
        let call = """
            {"jsonrpc":"2.0","id":1,"method":"auth.login","params":{"email":"a@test.example","password":"x"}}
            """
        var refused = try await client.post(call)
        for _ in 0..<30 where try JSONValue.parse(refused.body).at("/error/code") != 429 {
            refused = try await client.post(call)
        }
        let answer = try JSONValue.parse(refused.body)
        let seconds = try #require(answer.at("/error/data/retry_after").int)
        #expect(refused.status == 200)
        #expect(refused.headers["retry-after"] == String(seconds))
        #expect(try await client.post("[\(call)]").headers["retry-after"] == nil)
    }

    @Test func `without trusted proxies X-Forwarded-For is ignored`() async throws {
        let server = try await TestServer.start()
        #expect(
            try await Self.login(server, TestServer.user, TestServer.password, from: "192.0.2.10")["result"] != nil)
        #expect(try await server.database.psql("SELECT string_agg(network, ' ') FROM known_places") == "127.0.0.1")
    }
}
