import DomainKit
import Foundation
import JSON
import PostgresDriver
import TestPostgres
import TestSchema
import TestSupport
import Testing

/// `GET /events` and `changes.list`, each test on a server and a database of its own.
@Suite struct EventTests {
    /// A cluster for this suite: a change is sent once every older transaction of the cluster has ended, and other suites
    /// keep transactions open for long.
    static let cluster = Shared { try await TestCluster.start() }

    /// A server whose feed begins after its accounts. It begins before what an older transaction holds back, also one of another
    /// database.
    static func server() async throws -> TestServer {
        let server = try await TestServer.start(database: TestDatabase.create(on: cluster.value()))
        try await eventually("nothing holds back the accounts") {
            try await server.database.psql(
                "SELECT coalesce(max(xid) < pg_snapshot_xmin(pg_current_snapshot()), true) FROM kernel.changes") == "t"
        }
        return server
    }

    @Test func `a listener hears that it is ready, and then of every change of the tables that it asks for`()
        async throws
    {
        let server = try await Self.server()
        let rows = try await Fixtures(server)
        let listener = try await EventListenerClient.listen(server, query: "?tables=ecoles,clients")
        #expect(listener.head.headers["content-type"] == "text/event-stream; charset=utf-8")
        #expect(listener.head.headers["cache-control"] == "no-store")
        let ready = try await listener.event()
        #expect(ready.name == "ready")
        #expect(try JSONValue.parse(Array(ready.data.utf8)) == ["id": .string(ready.id ?? "")])

        let ecole = try await rows.ecole()
        _ = try await rows.session()
        _ = try await rows.client.call("ecoles.update", ["id": JSONValue(ecole), "values": ["ville": "Lyon"]])
        let client = try await rows.client()
        _ = try await rows.client.call("ecoles.delete", ["id": JSONValue(ecole)])
        let (texts, _) = try await listener.changes(4)
        #expect(
            texts == [
                "ecoles \(ecole) create 1", "ecoles \(ecole) update 2", "clients \(client) create 1",
                "ecoles \(ecole) delete 2",
            ])
    }

    @Test func `events are as the OpenRPC document describes them`() async throws {
        let server = try await Self.server()
        let description = try await ServiceDescription(of: server)
        let operations = description.document.at("/x-http").array
        let events = try #require(operations.first { $0["media_type"] == "text/event-stream" })
        let listener = try await EventListenerClient.listen(server, query: "?tables=ecoles")
        let ready = try await listener.event()
        _ = try await Fixtures(server).ecole()
        let change = try await listener.event()
        try await server.database.psql("TRUNCATE ecoles CASCADE")
        let reset = try await listener.event()
        let received = [ready, change, reset]
        #expect(received.map(\.name) == events.at("/events").array.compactMap { $0["name"]?.text })
        for event in received {
            let described = try #require(events.at("/events").array.first { $0["name"] == .string(event.name) })
            let data = try JSONValue.parse(Array(event.data.utf8))
            #expect(try description.validator.accepts(data, described["data"] ?? .null), "\(event)")
        }
    }

    @Test func `a listener hears of no table that its role may not read`() async throws {
        let server = try await Self.server()
        let rows = try await Fixtures(server)
        let listener = try await EventListenerClient.listen(server, as: TestServer.user)
        _ = try await listener.event()
        _ = try await rows.client.call(
            "users.create", ["values": ["email": "new@test.example", "username": "new"], "select": "{ id }"])
        let ecole = try await rows.ecole()
        #expect(try await listener.changes(1).texts == ["ecoles \(ecole) create 1"])
    }

    @Test func `no change comes before one that is committed later`() async throws {
        let server = try await Self.server()
        let rows = try await Fixtures(server)
        let listener = try await EventListenerClient.listen(server, query: "?tables=ecoles")
        _ = try await listener.event()
        let start = try await rows.client.call("changes.list")
        #expect(start["items"] == [])

        let client = PostgresClient(.init(connectionString: server.database.connectionString))
        let (long, short) = try await client.withConnection { connection in
            try await connection.simpleQuery("BEGIN")
            let long = try await connection.query(Statement("INSERT INTO ecoles (nom) VALUES ('Longue') RETURNING id"))
            let short = try await rows.ecole()
            let page = try await rows.client.call(
                "changes.list", ["after": start["end_cursor"] ?? .null, "tables": ["ecoles"]])
            #expect(page["items"] == [])
            try await connection.simpleQuery("COMMIT")
            return (Int(long.text(0, 0) ?? "") ?? 0, short)
        }
        await client.shutdown()
        let expected = ["ecoles \(long) create 1", "ecoles \(short) create 1"]
        #expect(try await listener.changes(2).texts == expected)
        try await eventually("both changes") {
            let page = try await rows.client.call(
                "changes.list", ["after": start["end_cursor"] ?? .null, "tables": ["ecoles"]])
            return page.at("/items").array.compactMap { $0["id"]?.int } == [long, short]
        }
    }

    @Test func `a page of changes.list passes those of other tables, and says whether more may follow`() async throws {
        let server = try await TestServer.start(database: try await TestDatabase.create(migrated: true))
        let rows = try await Fixtures(server)
        let start = try await rows.client.call("changes.list")["end_cursor"] ?? .null
        for _ in 0..<30 { _ = try await rows.client() }
        let ecole = try await rows.ecole()
        let params: JSONValue = ["after": start, "tables": ["ecoles"], "first": 5]
        // A change is shown when no older transaction of the Postgres server runs, which other tests have.
        try await eventually("the change is shown") {
            let page = try await rows.client.call("changes.list", params)
            return page.at("/items").array.compactMap { $0["id"]?.int } == [ecole] && page["has_next_page"] == false
        }
        let first = try await rows.client.call("changes.list", ["after": start, "first": 5])
        #expect(first.at("/items").array.count == 5 && first["has_next_page"] == true)
        #expect(try await server.stop() == 0)
    }

    @Test func `a client that connects again misses no change and receives none twice`() async throws {
        let server = try await Self.server()
        let total = 1_500
        var lastID = try await server.client().call("changes.list")["end_cursor"]?.text
        let writer = Task {
            for first in stride(from: 1, through: total, by: 50) {
                try await server.database.psql(
                    "INSERT INTO ecoles (nom) SELECT 'E' || n FROM generate_series(\(first), \(first + 49)) AS n")
            }
        }
        var changes: [String] = []
        while changes.count < total {
            let listener = try await EventListenerClient.listen(server, query: "?tables=ecoles", lastID: lastID)
            #expect(try await listener.event().name == "ready")
            let (texts, last) = try await listener.changes(min(Int.random(in: 1...200), total - changes.count))
            changes += texts
            lastID = last
        }
        try await writer.value
        #expect(changes == (1...total).map { "ecoles \($0) create 1" })
    }

    @Test func `listeners of one instance hear of what another one writes`() async throws {
        let first = try await Self.server()
        let second = try await TestServer.start(database: first.database)
        let listener = try await EventListenerClient.listen(first)
        _ = try await listener.event()
        let ecole = try await Fixtures(second).ecole()
        let (texts, lastID) = try await listener.changes(1)
        #expect(texts == ["ecoles \(ecole) create 1"])
        let next = try await Fixtures(first).ecole()
        // The position of one instance is one of the other, too.
        let other = try await EventListenerClient.listen(second, lastID: lastID)
        #expect(try await other.event().name == "ready")
        #expect(try await other.changes(1).texts == ["ecoles \(next) create 1"])
    }

    @Test func `a listener that does not read is cut off, and continues where it was`() async throws {
        let server = try await Self.server()
        let total = 10_000
        let slow = try await EventListenerClient.listen(server, query: "?tables=ecoles", readsSlowly: true)
        let ready = try await slow.event()
        try await server.database.psql(
            "INSERT INTO ecoles (nom) SELECT 'E' || n FROM generate_series(1, \(total)) AS n")
        try await eventually("the listener is cut off") {
            try await server.connection().request("GET", "/metrics").text.contains("event_listeners 0\n")
        }
        var lastID = ready.id
        var received = 0
        while let event = try await slow.next() {
            received += 1
            lastID = event.id
        }
        #expect(received < total)
        let again = try await EventListenerClient.listen(server, query: "?tables=ecoles", lastID: lastID)
        _ = try await again.event()
        #expect(try await again.changes(total - received).texts.last == "ecoles \(total) create 1")
    }

    @Test func `listeners that read slowly while they catch up do not delay one that continues after them`()
        async throws
    {
        let server = try await Self.server()
        let start = try await server.client().call("changes.list")["end_cursor"]?.text
        let total = 10_000
        try await server.database.psql(
            "INSERT INTO ecoles (nom) SELECT 'E' || n FROM generate_series(1, \(total)) AS n")
        // They read their first event only, and more pages wait for them than the sockets hold.
        var slow: [EventListenerClient] = []
        for _ in 1...20 {
            slow.append(
                try await EventListenerClient.listen(
                    server, query: "?tables=ecoles", lastID: start, readsSlowly: true))
        }
        for listener in slow.prefix(4) { #expect(try await listener.event().name == "ready") }
        let begin = ContinuousClock.now
        let quick = try await EventListenerClient.listen(server, query: "?tables=ecoles", lastID: start)
        #expect(try await quick.event().name == "ready")
        #expect(try await quick.changes(total).texts.last == "ecoles \(total) create 1")
        // A listener that does not read at all is cut off after thirty seconds. If each of the twenty held a turn until then,
        // four at a time, the quick one would wait for two minutes.
        #expect(ContinuousClock.now - begin < .seconds(60))
        for listener in slow { #expect(try await listener.next() != nil) }
    }

    @Test func `the stream of a token that is revoked ends`() async throws {
        let server = try await Self.server()
        let anonymous = try await server.client(nil)
        let session = try await anonymous.call(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        let listener = try await EventListenerClient.listen(server, token: session["access_token"]?.text ?? "")
        _ = try await listener.event()
        _ = try await anonymous.call("auth.logout", ["refresh_token": session["refresh_token"] ?? .null])
        let start = ContinuousClock.now
        #expect(try await listener.next() == nil)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a right that is withdrawn ends the stream before the withdrawal is answered`() async throws {
        let server = try await Self.server()
        let admin = try await server.client()
        let values: JSONValue = [
            "email": "second@test.example", "password": .string(TestServer.password), "role": "admin",
        ]
        let account = try await admin.call("users.create", ["values": values])["id"] ?? .null
        let listener = try await EventListenerClient.listen(server, as: "second@test.example", query: "?tables=users")
        #expect(try await listener.event().name == "ready")
        _ = try await admin.call("users.update", ["id": account, "values": ["role": "user"]])
        for number in 1...20 {
            _ = try await admin.call(
                "users.create", ["values": ["email": .string("later\(number)@test.example")], "select": "{ id }"])
        }
        while let event = try await listener.next() {
            #expect(try event.change.hasPrefix("users \(account.json) "), "\(event)")
        }
    }

    @Test func `an access key listens in its role, until it is revoked`() async throws {
        let server = try await Self.server()
        let rows = try await Fixtures(server)
        let accounts = try await rows.client.call("users.list", ["where": ["email": .string(TestServer.user)]])
        let key = try await rows.client.call(
            "auth.create_access_key",
            ["account_id": accounts.at("/items/0/id"), "role": "user", "name": "Écran de l’entrée"])
        let listener = try await EventListenerClient.listen(server, token: key["key"]?.text ?? "")
        #expect(try await listener.event().name == "ready")
        _ = try await rows.client.call("users.create", ["values": ["email": "new@test.example"]])
        let ecole = try await rows.ecole()
        #expect(try await listener.changes(1).texts == ["ecoles \(ecole) create 1"])
        _ = try await rows.client.call("auth.revoke_access_key", ["id": key["id"] ?? .null])
        let start = ContinuousClock.now
        #expect(try await listener.next() == nil)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a position that is too old, or of another database, resets the listener`() async throws {
        let server = try await Self.server()
        let rows = try await Fixtures(server)
        let start = try await rows.client.call("changes.list")["end_cursor"]?.text ?? ""
        _ = try await rows.ecole()
        try await eventually("the change is removed") {
            _ = try await server.database.psql("SELECT kernel.feed_prune('0 s', 1000)")
            return try await server.database.psql("SELECT count(*) FROM kernel.changes") == "0"
        }
        for old in [start, "1.99999999.1", "77.\(start.split(separator: ".")[1]).0"] {
            let listener = try await EventListenerClient.listen(server, lastID: old)
            let ready = try await listener.event()
            #expect(ready.name == "ready")
            let reset = try await listener.event()
            #expect(reset.name == "reset")
            #expect(reset.id == ready.id)
            let error = try await rows.client.refusal("changes.list", ["after": .string(old)])
            #expect(error["code"]?.int == -32602)
            #expect(error.at("/data/errors/0/path") == "/after")
            let ecole = try await rows.ecole()
            #expect(try await listener.changes(1).texts == ["ecoles \(ecole) create 1"])
        }
    }

    @Test(arguments: [false, true])
    func `without the note of what was removed listeners begin anew once, and the feed goes on`(listens: Bool)
        async throws
    {
        let server = try await Self.server()
        let rows = try await Fixtures(server)
        let start = try await rows.client.call("changes.list")["end_cursor"]?.text ?? ""
        let listener = listens ? try await EventListenerClient.listen(server, query: "?tables=ecoles") : nil
        _ = try await listener?.event()
        let first = try await rows.ecole()
        _ = try await listener?.changes(1)
        // Before, the start is not too old: nothing behind it can have been removed.
        try await eventually("the change is shown") {
            try await rows.client.call("changes.list", ["after": .string(start)]).at("/items").array.count == 1
        }
        try await server.database.psql("DELETE FROM kernel.changes_removed")
        if listener == nil {
            let error = try await rows.client.refusal("changes.list", ["after": .string(start)])
            #expect(error.at("/data/errors/0/path") == "/after", "\(error.json)")
        }
        try await eventually("the note is there again") {
            try await server.database.psql("SELECT count(*) FROM kernel.changes_removed") == "1"
        }
        let present = try await rows.client.call("changes.list")["end_cursor"] ?? .null
        let second = try await rows.ecole()
        #expect(second != first)
        if let listener {
            // At most once: who has read all that had ended when the note was entered again has missed nothing. That is so when a
            // transaction of another database began before the first change ended, and still runs.
            var event = try await listener.event()
            if event.name == "reset" { event = try await listener.event() }
            #expect(try event.change == "ecoles \(second) create 1")
        }
        // A change is shown when no older transaction runs, of whichever database of the cluster.
        try await eventually("the change is shown") {
            let page = try await rows.client.call("changes.list", ["after": present, "tables": ["ecoles"]])
            return page.at("/items").array.map { $0["id"]?.int } == [second]
        }
        try await server.process.waitForLog("kernel.changes_removed had no row")
        #expect(try await server.stop() == 0)
    }

    @Test func `TRUNCATE of a table resets those who follow it, and no others`() async throws {
        let server = try await Self.server()
        let rows = try await Fixtures(server)
        let start = try await rows.client.call("changes.list")["end_cursor"]?.text ?? ""
        let follower = try await EventListenerClient.listen(server, query: "?tables=sessions,clients")
        _ = try await follower.event()
        let other = try await EventListenerClient.listen(server, query: "?tables=ecoles")
        _ = try await other.event()

        let session = try await rows.session()
        #expect(try await follower.changes(1).texts == ["sessions \(session) create 1"])
        try await server.database.psql("TRUNCATE sessions")
        let reset = try await follower.event()
        #expect(reset.name == "reset")
        #expect(try JSONValue.parse(Array(reset.data.utf8)) == ["id": .string(reset.id ?? "")])
        let (client, ecole) = (try await rows.client(), try await rows.ecole())
        #expect(try await follower.changes(1).texts == ["clients \(client) create 1"])
        #expect(try await other.changes(1).texts == ["ecoles \(ecole) create 1"])

        // Positions before it are too old for the table, those after it are not.
        let again = try await EventListenerClient.listen(server, query: "?tables=sessions,clients", lastID: start)
        #expect(try await again.event().name == "ready")
        #expect(try await again.changes(1).texts == ["sessions \(session) create 1"])
        #expect(try await again.event() == reset)
        let last = try await again.changes(1)
        #expect(last.texts == ["clients \(client) create 1"])
        let error = try await rows.client.refusal(
            "changes.list", ["after": .string(start), "tables": ["sessions", "clients"]])
        #expect(error["code"]?.int == -32602)
        #expect(error.at("/data/errors/0/path") == "/after")
        let page = try await rows.client.call(
            "changes.list", ["after": .string(reset.id ?? ""), "tables": ["sessions", "clients"]])
        #expect(page.at("/items").array.map { $0["id"]?.int } == [client])
        let others = try await rows.client.call("changes.list", ["after": .string(start), "tables": ["ecoles"]])
        #expect(others.at("/items").array.map { $0["id"]?.int } == [ecole])
    }

    @Test func `a change that is committed while old ones are removed stays`() async throws {
        let server = try await Self.server()
        let file = try ProjectFiles.migrationsFolder() + "/kernel/functions/feed_prune.sql"
        let slow = try String(contentsOfFile: file, encoding: .utf8)
            .replacing("BEGIN\n", with: "BEGIN\n    PERFORM pg_sleep(1);\n")
        #expect(slow.contains("pg_sleep"))
        try await server.database.psql(slow)
        async let pruned = server.database.psql("SELECT kernel.feed_prune('7 days', 1000)")
        try await eventually("the removal has begun") {
            try await server.database.psql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") != "0"
        }
        let ecole = try await Fixtures(server).ecole()
        #expect(try await pruned == "0")
        let kept = try await server.database.psql(
            "SELECT count(*) FROM kernel.changes WHERE table_name = 'ecoles' AND row_id = \(ecole)")
        #expect(kept == "1")
    }

    @Test func `a record whose id is changed is deleted under the old one and created under the new one`()
        async throws
    {
        let server = try await Self.server()
        let listener = try await EventListenerClient.listen(server, query: "?tables=ecoles")
        _ = try await listener.event()
        let ecole = try await Fixtures(server).ecole()
        #expect(try await listener.changes(1).texts == ["ecoles \(ecole) create 1"])
        try await server.database.psql("UPDATE ecoles SET id = id + 100000")
        let moved = ecole + 100_000
        let texts = try await listener.changes(2).texts
        #expect(texts == ["ecoles \(ecole) delete 1", "ecoles \(moved) create 2"])
    }

    @Test(arguments: [
        ("?tables=ecoles,sesions", 400, "/tables/1", "sessions"), ("?tables=users", 400, "/tables/0", nil),
        ("?tables=", 400, "/tables/0", nil), ("?after=x", 400, "/after", nil),
        ("?after=1.1.1&after=1.1.1", 400, "/after", nil), ("?after=1.1.1&after=", 400, "/after", nil),
        ("?table=ecoles", 400, "/table", "tables"),
        ("?tables=%zz", 400, "", nil),
    ])
    func `a mistake in the query is explained`(query: String, status: Int, path: String, suggestion: String?)
        async throws
    {
        let server = try await TestServer.running()
        let token = try await server.client(TestServer.user).token ?? ""
        let response = try await server.connection().request(
            "GET", "/events\(query)", headers: [("Authorization", "Bearer \(token)")])
        #expect(response.status == status)
        #expect(response.headers["content-type"] == "application/json")
        let error = try JSONValue.parse(response.body)["error"] ?? .null
        #expect(error["code"]?.int == status)
        #expect(error.at("/data/code") == "invalid_params")
        #expect(error.at("/data/errors/0/path") == .string(path))
        #expect(error.at("/data/errors/0/suggestion").text == suggestion)
    }

    @Test func `without a valid token there is no stream`() async throws {
        let server = try await TestServer.running()
        for headers in [[], [("Authorization", "Bearer x")]] {
            let response = try await server.connection().request("GET", "/events", headers: headers)
            #expect(response.status == 401)
            #expect(response.headers["www-authenticate"] == "Bearer")
            let error = try JSONValue.parse(response.body)["error"] ?? .null
            #expect(error.at("/data/reason").text == (headers.isEmpty ? "missing" : "invalid"))
        }
    }

    @Test func `three hundred listeners take little memory, all hear of a change, and a shutdown ends their streams`()
        async throws
    {
        let server = try await Self.server()
        let rows = try await Fixtures(server)
        func residentKilobytes() throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(server.process.pid ?? 0)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        }
        var listeners = [try await EventListenerClient.listen(server)]
        _ = try await listeners[0].event()
        let before = try residentKilobytes()
        for _ in 1..<300 { listeners.append(try await EventListenerClient.listen(server)) }
        for listener in listeners.dropFirst() { #expect(try await listener.event().name == "ready") }
        let grown = try residentKilobytes() - before
        #expect(grown < 12_000, "\(grown) kB")

        let ecole = try await rows.ecole()
        for listener in listeners { #expect(try await listener.changes(1).texts == ["ecoles \(ecole) create 1"]) }
        #expect(try await server.stop() == 0)
        for listener in listeners { #expect(try await listener.next() == nil) }
    }
}
