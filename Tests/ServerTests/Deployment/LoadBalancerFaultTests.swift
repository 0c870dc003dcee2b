import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// Two instances behind HAProxy on one database, with the configuration that docs/scaling.md names.
@Suite struct LoadBalancerFaultTests {
    /// HAProxy is trusted to name its clients.
    private static let proxies = ["--trusted-proxies", "127.0.0.1"]

    private struct Place {
        let one: TestServer
        let two: TestServer
        let balancer: LoadBalancer
        let token: String

        static func make() async throws -> Place {
            let one = try await TestServer.start(proxies)
            let two = try await TestServer.start(proxies, database: one.database)
            let token = try #require(try await one.client().token)
            return Place(
                one: one, two: two, balancer: try await LoadBalancer.start(before: [one, two]), token: token)
        }

        /// A client with a connection of its own to HAProxy.
        func client() throws -> RPCClient { try RPCClient(port: balancer.port, token: token) }
    }

    @Test func `calls go to both instances, and an idempotency key, a revocation and a throttle hold on both`()
        async throws
    {
        let place = try await Place.make()
        let instances = [place.one, place.two]

        // The same call, sent at once to both, happens once.
        let values = JSONValue.merging(Fixtures.session())
        let ids = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                let client = try place.client()
                group.addTask {
                    for _ in 0..<50 {
                        let answer = try await client.response(
                            "sessions.create", ["values": values, "idempotency_key": "une fois", "select": "{ id }"])
                        if let id = answer.at("/result/id").int { return id }
                        // The first of them still runs.
                        #expect(answer.at("/error/data/retryable") == true, "\(answer.json)")
                    }
                    return nil
                }
            }
            return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(ids.count == 1 && ids.first != .some(nil), "\(ids)")
        #expect(try await place.one.database.psql("SELECT count(*) FROM sessions") == "1")
        for instance in instances {
            try await eventually("each instance was called") { instance.process.errors.contains("sessions.create") }
        }

        // A sign-in that ends at one instance ends on both.
        let user = try await RPCClient(port: place.balancer.port, token: nil)
            .call("auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        let token = try #require(user["access_token"]?.text)
        _ = try await RPCClient(port: place.balancer.port, token: token)
            .call("auth.logout", ["refresh_token": user["refresh_token"] ?? .null])
        for instance in instances {
            let client = try RPCClient(port: instance.port, token: token)
            try await eventually("the token is refused", within: .seconds(2)) {
                try await client.response("auth.me").at("/error/code") == 401
            }
        }

        // Failures on both count together.
        let login: JSONValue = ["email": .string(TestServer.user), "password": "faux"]
        for _ in 0..<10 {
            let refusal = try await RPCClient(port: place.balancer.port, token: nil).refusal("auth.login", login)
            #expect(refusal["code"] == 401, "\(refusal.json)")
        }
        for instance in instances {
            // The pause after the tenth failure lasts a second, which may be over; five failures alone cause none.
            var codes: [Int] = []
            while codes.last != 429, codes.count < 5 {
                let refusal = try await RPCClient(port: instance.port, token: nil).refusal("auth.login", login)
                codes.append(try #require(refusal["code"]?.int))
            }
            #expect(codes.last == 429, "\(codes)")
        }
        for instance in instances { #expect(try await instance.stop() == 0) }
    }

    @Test func `the feed has the writes of both instances, and jobs run on the one that is left`() async throws {
        let place = try await Place.make()
        let listener = try await EventListenerClient.listen(
            on: HTTPConnection(port: place.balancer.port), token: place.token)
        #expect(try await listener.event().name == "ready")
        var expected: [String] = []
        for number in 1...6 {
            let instance = number.isMultiple(of: 2) ? place.one : place.two
            let client = try RPCClient(port: instance.port, token: place.token)
            let id = try await client.call(
                "sessions.create", ["values": .merging(Fixtures.session()), "select": "{ id }"])["id"]?.int
            expected.append("sessions \(try #require(id)) create 1")
        }
        #expect(try await listener.changes(6).texts == expected)

        #expect(try await place.one.stop() == 0)
        try await place.balancer.waitUntil("one", are: "DOWN")
        let before = try await place.one.database.psql(
            "UPDATE kernel.jobs SET next_at = now(), last_ended_at = NULL RETURNING name")
        #expect(!before.isEmpty)
        try await eventually("the jobs have run", within: .seconds(20)) {
            try await place.one.database.psql(
                "SELECT bool_and(last_ended_at IS NOT NULL AND failures = 0 AND next_at > now()) FROM kernel.jobs")
                == "t"
        }
        #expect(try await place.client().call("sessions.list", ["count": true])["total"] == 6)
        #expect(try await place.two.stop() == 0)
    }

    @Test func `a rolling restart under load loses no acknowledged write, and repetition heals every error`()
        async throws
    {
        let place = try await Place.make()
        let load = Load(place.balancer.port, place.token)
        let environment = [
            "DATABASE_URL": place.one.database.connectionString, "JWT_SECRET": TestServer.secret,
        ]
        var restarted: [LearnTrackProcess] = []
        try await withThrowingTaskGroup { group in
            for writer in 0..<6 { group.addTask { try await load.write(as: writer) } }
            for (name, instance) in [("one", place.one), ("two", place.two)] {
                let before = load.acknowledged.value.count
                try await eventually("writes go on") { load.acknowledged.value.count > before + 50 }
                #expect(try await instance.stop() == 0)
                let process = try LearnTrackProcess(
                    ["serve", "--port", "\(instance.port)"] + Self.proxies, environment: environment)
                restarted.append(process)
                _ = try await process.waitUntilReady()
                try await place.balancer.waitUntil(name, are: "UP")
            }
            let before = load.acknowledged.value.count
            try await eventually("writes go on") { load.acknowledged.value.count > before + 50 }
            load.stop()
            try await group.waitForAll()
        }
        let acknowledged = load.acknowledged.value
        let stored = try await place.one.database.psql("SELECT ref_contrat FROM sessions").split(separator: "\n").map(
            String.init)
        #expect(Set(stored).count == stored.count, "a row was written twice")
        // Each writer has repeated its write until it was acknowledged.
        #expect(Set(stored) == acknowledged)
        #expect(load.refused.value == [], "an error that a repetition does not heal")
        for process in restarted {
            try process.signal(SIGTERM)
            #expect(try await process.waitForExit() == 0)
        }
    }
}

/// Clients that write one record after another, each repeated under its key until it is acknowledged.
private final class Load: Sendable {
    let acknowledged = LockedValue<Set<String>>([])
    /// Answers that are not worth a repetition.
    let refused = LockedValue<[String]>([])
    private let isStopped = LockedValue(false)
    private let port: Int
    private let token: String

    init(_ port: Int, _ token: String) {
        self.port = port
        self.token = token
    }

    func stop() { isStopped.withLock { $0 = true } }

    func write(as writer: Int) async throws {
        var client = try? RPCClient(port: port, token: token)
        var number = 0
        while !isStopped.value {
            number += 1
            let mark = "w\(writer) \(number)"
            let call: JSONValue = [
                "values": .merging(Fixtures.session([("ref_contrat", .string(mark))])),
                "select": "{ ref_contrat }", "idempotency_key": .string(mark),
            ]
            var isDone = false
            for _ in 0..<200 where !isDone {
                do {
                    if client == nil { client = try RPCClient(port: port, token: token) }
                    guard let answer = try await client?.response("sessions.create", call) else { continue }
                    if answer.at("/result/ref_contrat") == .string(mark) {
                        isDone = true
                        acknowledged.withLock { _ = $0.insert(mark) }
                    } else if answer.at("/error/data/retryable") != true,
                        answer.at("/error/data/code") != "outcome_unknown"
                    {
                        refused.withLock { $0.append(answer.json) }
                        return
                    }
                } catch {
                    // HAProxy or the instance has closed the connection, or HAProxy has answered with 502 or 503.
                    client = nil
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            if !isDone { refused.withLock { $0.append("\(mark) was not acknowledged") } }
        }
    }
}
