import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md, "Fair shares and budgets": "login floods from 250 addresses | known owners 429 until it ends: an owner's
/// known place keeps its own count".
struct LoginFloodTests {
    /// More than may wait for a hash at the same time.
    private static let floods = 100
    private static let addresses = 250
    private static let duration = Duration.seconds(5)

    private struct Answer {
        let code: Int
        let time: Duration
    }

    private static func login(
        _ client: RPCClient, _ email: String, _ password: String, from address: String
    ) async throws -> Answer {
        let body = """
            {"jsonrpc":"2.0","id":1,"method":"auth.login","params":{"email":"\(email)","password":"\(password)"}}
            """
        let start = ContinuousClock.now
        let response = try await client.post(body, headers: [("X-Forwarded-For", address)])
        let answer = try JSONValue.parse(response.body)
        return Answer(code: answer.at("/error/code").int ?? 200, time: ContinuousClock.now - start)
    }

    /// Repeats `body` until the end of the flood.
    private static func repeating(
        until end: ContinuousClock.Instant, _ body: (Int) async throws -> Answer
    ) async throws -> [Answer] {
        var answers: [Answer] = []
        while ContinuousClock.now < end { answers.append(try await body(answers.count)) }
        return answers
    }

    @Test
    func `while strangers try passwords from 250 addresses, owners sign in from known places and reads are answered`()
        async throws
    {
        let server = try await TestServer.start(["--trusted-proxies", "127.0.0.1"])
        let owners = [(TestServer.user, "192.0.2.10"), (TestServer.admin, "2001:db8::1")]
        for (email, home) in owners {
            let client = try await server.client(nil)
            #expect(try await Self.login(client, email, TestServer.password, from: home).code == 200)
        }
        let reader = try await server.client()
        let strangers = try (0..<Self.floods).map { _ in try RPCClient(port: server.port, token: nil) }
        let end = ContinuousClock.now + Self.duration

        enum Caller { case stranger, owner, reader }
        var answers: [Caller: [Answer]] = [:]
        try await withThrowingTaskGroup(of: (Caller, [Answer]).self) { group in
            for (index, client) in strangers.enumerated() {
                group.addTask {
                    let own = try await Self.repeating(until: end) { attempt in
                        // Every other attempt is for the account of an owner.
                        let email = attempt.isMultiple(of: 2) ? TestServer.user : "x\(index).\(attempt)@test.example"
                        let address = (index + attempt * Self.floods) % Self.addresses
                        return try await Self.login(client, email, "faux", from: "198.51.100.\(address)")
                    }
                    return (.stranger, own)
                }
            }
            for (email, home) in owners {
                let client = try await server.client(nil)
                group.addTask {
                    let own = try await Self.repeating(until: end) { _ in
                        try await Self.login(client, email, TestServer.password, from: home)
                    }
                    return (.owner, own)
                }
            }
            group.addTask {
                let own = try await Self.repeating(until: end) { _ in
                    let start = ContinuousClock.now
                    _ = try await reader.call("sessions.list", ["first": 1])
                    return Answer(code: 200, time: ContinuousClock.now - start)
                }
                return (.reader, own)
            }
            for try await (caller, own) in group { answers[caller, default: []] += own }
        }

        // The flood fills the strangers' part of the queue.
        let refused = answers[.stranger, default: []].count { $0.code == 429 }
        #expect(refused >= Self.floods / 2)
        let signIns = answers[.owner, default: []]
        #expect(signIns.count >= 4)
        #expect(signIns.allSatisfy { $0.code == 200 }, "\(signIns.map(\.code))")
        let slowest = signIns.map(\.time).max() ?? .zero
        #expect(slowest < .seconds(4), "\(slowest)")
        let reads = answers[.reader, default: []].map(\.time).sorted()
        #expect(reads.count >= 20)
        #expect(reads[reads.count * 9 / 10] < .milliseconds(500), "\(reads.suffix(5))")
        #expect(try await server.stop() == 0)
    }
}
