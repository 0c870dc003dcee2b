import JSON
import Synchronization
import TestPostgres
import TestSupport
import Testing

/// companies.md: "`companies move --to URL`: a snapshot, then what the feed tells, then writes wait ≤ 5 s and the old server answers 308;
/// reads never stop".
@Suite struct MovingCompaniesTests {
    private static let person = "claire@digue.exemple"
    private static let secret = "le mot de passe de Claire"

    /// Two installations with a server each. In the old one the company 2 is "Digue", where Claire administers ten schools.
    private struct Installations {
        let old: TestServer
        let new: TestServer

        init() async throws {
            old = try await Self.server(of: "Port")
            new = try await Self.server(of: "Ailleurs")
            try await old.database.psql(
                """
                INSERT INTO kernel.companies (name) VALUES ('Digue');
                BEGIN;
                SET LOCAL learntrack.company = '2';
                INSERT INTO users (email, role) VALUES ('\(person)', 'admin');
                INSERT INTO credentials (user_id, password_hash)
                    SELECT account_id, crypt('\(secret)', gen_salt('bf', 4)) FROM users WHERE email = '\(person)';
                INSERT INTO ecoles (nom) SELECT 'École ' || n FROM generate_series(1, 10) AS n;
                COMMIT;
                """)
        }

        private static func server(of company: String) async throws -> TestServer {
            let database = try await TestProgram.learntrack.migratedDatabase()
            try await database.psql(
                """
                SELECT kernel.companies_enable(); SELECT kernel.companies_close();
                UPDATE kernel.companies SET name = '\(company)';
                """)
            return try await TestServer.start(database: database)
        }

        func move(_ flags: [String] = []) async throws -> (status: Int32, output: String, errors: String) {
            try await LearnTrackProcess.run(
                ["companies", "move", "2", "--to", place + "/", "--into", new.database.connectionString] + flags,
                environment: ["DATABASE_URL": old.database.connectionString])
        }

        var place: String { "http://127.0.0.1:\(new.port)" }

        func session(on server: TestServer) async throws -> JSONValue {
            try await server.client(nil).call(
                "auth.login", ["email": .string(person), "password": .string(secret), "company_id": 2])
        }

        func stop() async throws {
            #expect(try await old.stop() == 0)
            #expect(try await new.stop() == 0)
        }
    }

    /// What the callers of a test have seen while a company moves.
    private final class Progress: Sendable {
        let isDone = Mutex(false)
        let written = Mutex<[String]>([])
        let longest = Mutex(Duration.zero)
    }

    private static func body(_ method: String, _ params: JSONValue) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params.json)}"#
    }

    private static func creation(of name: String) -> String {
        body(
            "ecoles.create",
            ["values": ["nom": .string(name)], "idempotency_key": .string("clef-" + name.replacing(" ", with: "-"))])
    }

    /// All rows of both databases that a refused move must leave.
    private static func state(_ database: TestDatabase) async throws -> String {
        try await database.psql(
            """
            SELECT string_agg(c::text, ' ' ORDER BY c.id) FROM kernel.companies AS c;
            SELECT string_agg(a::text, ' ' ORDER BY a.id) FROM kernel.accounts AS a;
            SELECT string_agg(u::text, ' ' ORDER BY u.id) FROM users AS u;
            SELECT count(*) FROM ecoles; SELECT count(*) FROM journal
            """)
    }

    @Test func `six writers lose nothing and write nothing twice, and reads never fail, while their company moves`()
        async throws
    {
        let both = try await Installations()
        let session = try await both.session(on: both.old)
        let token = try #require(session["access_token"]?.text)
        let calendar = try await RPCClient(port: both.old.port, token: token).call("calendriers.abonner")
        let early = try await RPCClient(port: both.old.port, token: token).post(Self.creation(of: "tot"))
        #expect(early.status == 200)
        let before = try await Self.state(both.new.database)

        let progress = Progress()
        let moved = try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...6 {
                group.addTask {
                    var client = try RPCClient(port: both.old.port, token: token)
                    var number = 0
                    while !progress.isDone.withLock({ $0 }) {
                        number += 1
                        let name = "\(writer) \(number)"
                        let start = ContinuousClock.now
                        var answer = try await client.post(Self.creation(of: name))
                        let time = ContinuousClock.now - start
                        progress.longest.withLock { $0 = max($0, time) }
                        if answer.status == 308 {
                            #expect(answer.headers["location"] == both.place + "/rpc")
                            client = try RPCClient(port: both.new.port, token: token)
                            answer = try await client.post(Self.creation(of: name))
                        }
                        let result = try JSONValue.parse(answer.body)
                        #expect(result.at("/result/nom").text == name, "\(answer.status) \(answer.text)")
                        progress.written.withLock { $0.append(name) }
                    }
                }
            }
            group.addTask {
                var client = try RPCClient(port: both.old.port, token: token)
                while !progress.isDone.withLock({ $0 }) {
                    let start = ContinuousClock.now
                    let answer = try await client.post(Self.body("ecoles.list", ["first": 1]))
                    #expect(ContinuousClock.now - start < .seconds(4), "a read has waited")
                    if answer.status == 308 {
                        client = try RPCClient(port: both.new.port, token: token)
                    } else {
                        let result = try JSONValue.parse(answer.body)
                        #expect(result.at("/result/items").array.count == 1, "\(answer.text)")
                    }
                }
            }
            group.addTask {
                // The other company of the old server.
                let client = try await both.old.client()
                var number = 0
                while !progress.isDone.withLock({ $0 }) {
                    number += 1
                    let start = ContinuousClock.now
                    _ = try await client.call("ecoles.create", ["values": ["nom": .string("Port \(number)")]])
                    #expect(ContinuousClock.now - start < .seconds(4), "another company has waited")
                }
            }
            try await Task.sleep(for: .seconds(1))
            let moved = try await both.move()
            try await Task.sleep(for: .seconds(2))
            progress.isDone.withLock { $0 = true }
            try await group.waitForAll()
            return moved
        }
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.output.contains("moved Digue (id 2) to \(both.place): "), "\(moved.output)")
        #expect(progress.longest.withLock { $0 } < .seconds(6))
        // Writes pass gates only where a company moves, or has moved.
        let gates = "SELECT count(*) > 0 FROM pg_trigger WHERE tgname = 'company_gate'"
        #expect(try await both.old.database.psql(gates) == "t")
        // Where writers hold the tables, they stay until a command takes them away.
        try await eventually("gates are gone where it has arrived") {
            _ = try await both.new.database.psql("SELECT kernel.company_gates()")
            return try await both.new.database.psql(gates) == "f"
        }
        let names = try await both.new.database.psql(
            "SELECT nom FROM ecoles WHERE company_id = 2 AND nom ~ '^[1-6] ' ORDER BY nom COLLATE \"C\"")
        let expected = progress.written.withLock { $0.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        #expect(names.split(separator: "\n").map(String.init) == expected)
        #expect(expected.count > 6)
        #expect(try await Self.state(both.new.database) != before)

        // A write that is repeated with its key is not made twice.
        let there = try RPCClient(port: both.new.port, token: token)
        let again = try await there.post(Self.creation(of: "tot"))
        #expect(try JSONValue.parse(again.body).at("/result/id") == JSONValue.parse(early.body).at("/result/id"))
        #expect(
            try await both.new.database.psql("SELECT count(*) FROM ecoles WHERE company_id = 2 AND nom = 'tot'") == "1")
        try await Self.checkPlaces(both, session, calendar)
        try await both.stop()
    }

    /// What is sent on when the company has moved, and what goes on where it is.
    private static func checkPlaces(
        _ both: Installations, _ session: JSONValue, _ calendar: JSONValue
    ) async throws {
        let token = try #require(session["access_token"]?.text)
        let client = try RPCClient(port: both.old.port, token: token)
        let answer = try await client.post(body("ecoles.list", [:]))
        #expect(answer.status == 308)
        let error = try JSONValue.parse(answer.body)
        #expect(error.at("/error/code") == 403 && error.at("/error/data/reason") == "moved")
        #expect(error.at("/error/data/moved_to").text == both.place)
        // A script of a page reads the error, since it could not read where the redirection leads.
        let script = try await client.post(body("ecoles.list", [:]), headers: [("Sec-Fetch-Mode", "cors")])
        #expect(script.status == 200 && script.headers["location"] == nil)
        // A notification, too, which has no answer that could tell.
        let notified = try await client.post(#"{"jsonrpc":"2.0","method":"ecoles.list","params":{}}"#)
        #expect(notified.status == 308 && notified.headers["location"] == both.place + "/rpc")
        // Of a batch, only when nothing of it was carried out here.
        let batch = try await client.post(
            "[\(body("rpc.discover", [:])),\(body("ecoles.list", [:]))]")
        #expect(batch.status == 200)
        let login = try await both.old.client(nil).post(
            body("auth.login", ["email": .string(person), "password": .string(secret), "company_id": 2]))
        #expect(login.status == 308 && login.headers["location"] == both.place + "/rpc")
        let events = try await both.old.connection().request(
            "GET", "/events?tables=ecoles", headers: [("Authorization", "Bearer \(token)")])
        #expect(events.status == 308 && events.headers["location"] == both.place + "/events?tables=ecoles")
        let link = try await both.old.open(calendar)
        #expect(link.status == 308 && link.headers["location"]?.hasPrefix(both.place + "/documents/") == true)
        #expect(try await both.new.open(calendar).status == 200)

        #expect(try await both.session(on: both.new).at("/company/name") == "Digue")
        let renewed = try await both.new.client(nil).call(
            "auth.refresh", ["refresh_token": session["refresh_token"] ?? .null])
        #expect(renewed.at("/company/id") == 2)
        // Nobody reopens what goes on elsewhere, not with psql either.
        let resumed = try await LearnTrackProcess.run(
            ["companies", "resume", "2"], environment: ["DATABASE_URL": both.old.database.connectionString])
        #expect(resumed.errors.contains("has moved to \(both.place)"), "\(resumed.errors)")
        await #expect(throws: (any Error).self) {
            try await both.old.database.psql("UPDATE kernel.companies SET suspended_at = NULL WHERE id = 2")
        }
        let listed = try await LearnTrackProcess.run(
            ["companies", "list"], environment: ["DATABASE_URL": both.old.database.connectionString])
        #expect(listed.output.contains("moved to \(both.place)"), "\(listed.output)")
        let erased = try await LearnTrackProcess.run(
            ["companies", "erase", "2", "--confirm", "Digue"],
            environment: ["DATABASE_URL": both.old.database.connectionString])
        #expect(erased.status == 0, "\(erased.errors)")
    }

    @Test func `what is taken where it moves to is refused before anything is written`() async throws {
        let both = try await Installations()
        let taken: [(sql: String, undo: String, message: String)] = [
            (
                "INSERT INTO users (email) VALUES ('\(Self.person)')",
                "DELETE FROM users WHERE email = '\(Self.person)'",
                "other accounts have these addresses: \(Self.person): remove these members"
            ),
            (
                "INSERT INTO kernel.companies (id, name) VALUES (2, 'Deux')",
                "DELETE FROM kernel.companies WHERE id = 2",
                "company 2 is Deux where this one moves to: a company keeps its id"
            ),
            (
                "INSERT INTO kernel.companies (id, name) VALUES (9, 'digue')",
                "DELETE FROM kernel.companies WHERE id = 9",
                "company 9 is called digue where this one moves to"
            ),
            (
                "INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '9000_later.sql')",
                "DELETE FROM kernel.migrations WHERE name = '9000_later.sql'",
                "it does not have the migration kernel/9000_later.sql"
            ),
        ]
        for (sql, undo, message) in taken {
            try await both.new.database.psql("BEGIN; SET LOCAL learntrack.company = '1'; \(sql); COMMIT")
            let (here, there) = (try await Self.state(both.old.database), try await Self.state(both.new.database))
            let refused = try await both.move()
            #expect(refused.status != 0 && refused.errors.contains(message), "\(refused.errors)")
            #expect(try await Self.state(both.old.database) == here)
            #expect(try await Self.state(both.new.database) == there)
            try await both.new.database.psql("BEGIN; SET LOCAL learntrack.company = '1'; \(undo); COMMIT")
        }
        let itself = try await LearnTrackProcess.run(
            ["companies", "move", "2", "--to", both.place, "--into", both.old.database.connectionString],
            environment: ["DATABASE_URL": both.old.database.connectionString])
        #expect(itself.errors.contains("--into is the database that the company is in"), "\(itself.errors)")
        try await both.stop()
    }

    @Test func `a move that a long transaction keeps from ending goes on here, is undone, and is made anew`()
        async throws
    {
        let both = try await Installations()
        let token = try #require(try await both.session(on: both.old)["access_token"]?.text)
        let client = try RPCClient(port: both.old.port, token: token)
        let database = both.old.database
        let sleeping = "wait_event = 'PgSleep' AND datname = current_database()"
        // It begins while rows are copied, and waits for nothing: other tests wait for the transactions of this server.
        async let stopping = both.move()
        try await eventually("the company is leaving") {
            try await database.psql("SELECT move = 'leaving' FROM kernel.companies WHERE id = 2") == "t"
        }
        let long = Task {
            try await database.psql(
                """
                BEGIN; SET LOCAL learntrack.company = '2';
                INSERT INTO ecoles (nom) VALUES ('longue'); SELECT pg_sleep(50)
                """)
        }
        // Neither a second run nor --abandon comes between the rounds of the first one.
        for flags in [[], ["--abandon"]] {
            let second = try await both.move(flags)
            #expect(second.status != 0)
            #expect(second.errors.contains("another command moves company 2: wait for it"), "\(second.errors)")
        }
        let stopped = try await stopping
        #expect(stopped.status != 0)
        #expect(stopped.errors.contains("could not be copied within 5 s, and writes go on here"), "\(stopped.errors)")
        _ = try await client.call("ecoles.create", ["values": ["nom": "ici"]])
        let environment = ["DATABASE_URL": database.connectionString]
        let listed = try await LearnTrackProcess.run(["companies", "list"], environment: environment)
        #expect(listed.output.contains("moving to \(both.place)"), "\(listed.output)")
        // Nobody writes in the copy.
        await #expect(throws: (any Error).self) {
            try await both.new.database.psql(
                "BEGIN; SET LOCAL learntrack.company = '2'; INSERT INTO ecoles (nom) VALUES ('là'); COMMIT")
        }
        let undone = try await both.move(["--abandon"])
        #expect(undone.status == 0 && undone.output.contains("the move is undone"), "\(undone.errors)")
        #expect(try await both.new.database.psql("SELECT count(*) FROM kernel.companies WHERE id = 2") == "0")
        #expect(
            try await both.new.database.psql("SELECT count(*) FROM kernel.accounts WHERE email = '\(Self.person)'")
                == "0")
        let nothing = try await both.move(["--abandon"])
        #expect(nothing.errors.contains("company 2 is not moving"), "\(nothing.errors)")
        _ = try await database.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(sleeping)")
        _ = await long.result
        let moved = try await both.move()
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(
            try await both.new.database.psql(
                "SELECT string_agg(nom, ' ') FROM ecoles WHERE company_id = 2 AND nom IN ('ici', 'longue', 'là')")
                == "ici")
        try await both.stop()
    }

    @Test func `a company that was erased where it had left moves back, and its members go on there at once`()
        async throws
    {
        let both = try await Installations()
        let before = try #require(try await both.session(on: both.old)["access_token"]?.text)
        #expect(
            try await RPCClient(port: both.old.port, token: before).call("ecoles.list").at("/items").array.count == 10)
        #expect(try await both.move().status == 0)
        let erased = try await LearnTrackProcess.run(
            ["companies", "erase", "2", "--confirm", "Digue"],
            environment: ["DATABASE_URL": both.old.database.connectionString])
        #expect(erased.status == 0, "\(erased.errors)")
        try await eventually("the old server knows that its members are gone") {
            try await RPCClient(port: both.old.port, token: before).refusal("ecoles.list")["code"] == 401
        }
        let back = try await LearnTrackProcess.run(
            [
                "companies", "move", "2", "--to", "http://127.0.0.1:\(both.old.port)", "--into",
                both.old.database.connectionString,
            ], environment: ["DATABASE_URL": both.new.database.connectionString])
        #expect(back.status == 0, "\(back.errors)")
        let token = try #require(try await both.session(on: both.old)["access_token"]?.text)
        try await eventually("a fresh token is accepted") {
            try await RPCClient(port: both.old.port, token: token).post(Self.body("ecoles.list", [:])).status == 200
        }
        #expect(
            try await RPCClient(port: both.old.port, token: token).call("ecoles.list").at("/items").array.count == 10)
        try await both.stop()
    }

    @Test func `a move that was stopped after its company had left is completed by the next run`() async throws {
        let both = try await Installations()
        // As a run leaves them that ends between its last two steps.
        try await both.old.database.psql(
            """
            UPDATE kernel.companies SET move = 'moved', move_to = '\(both.place)', move_id = gen_random_uuid(),
                move_at = now(), suspended_at = now() WHERE id = 2
            """)
        let completed = try await both.move()
        #expect(completed.status == 0, "\(completed.errors)")
        #expect(
            try await both.new.database.psql(
                "SELECT move IS NULL AND suspended_at IS NULL FROM kernel.companies WHERE id = 2") == "t")
        #expect(try await both.new.database.psql("SELECT count(*) FROM ecoles WHERE company_id = 2") == "10")
        #expect(try await both.session(on: both.new).at("/company/name") == "Digue")
        // As after a run whose last answer was lost.
        let again = try await both.move()
        #expect(again.status == 0 && again.output.contains("has arrived already"), "\(again.errors)")
        let late = try await both.move(["--abandon"])
        #expect(late.status != 0 && late.errors.contains("erase it here, then move it back"), "\(late.errors)")
        #expect(try await both.new.database.psql("SELECT count(*) FROM ecoles WHERE company_id = 2") == "10")
        try await both.stop()
    }
}
