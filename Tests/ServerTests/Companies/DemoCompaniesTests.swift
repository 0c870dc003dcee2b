import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// README, "To try several companies": the demo data with a second company, and one person who is a member of both.
@Suite struct DemoCompaniesTests {
    private static func seed(
        _ arguments: [String] = [], on database: TestDatabase
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await LearnTrackProcess.run(
            ["seed"] + arguments, environment: ["DATABASE_URL": database.connectionString])
    }

    private static func session(
        _ name: String, _ company: JSONValue? = nil, on server: TestServer
    ) async throws -> JSONValue {
        let credentials: [(String, JSONValue)] = [
            ("email", .string("\(name)@demo.learntrack.fr")), ("password", "demo-learntrack"),
        ]
        return try await RPCClient(port: server.port, token: nil).call(
            "auth.login", .merging(credentials + (company.map { [("company_id", $0)] } ?? [])))
    }

    private static func client(_ session: JSONValue, on server: TestServer) throws -> RPCClient {
        try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
    }

    /// What lists show: the names of schools and clients, and how many sessions there are.
    private struct Shown: Equatable {
        let schools: [String]
        let clients: [String]
        let sessions: Int?

        init(_ client: RPCClient) async throws {
            schools = try await Self.names("ecoles", "nom", client)
            clients = try await Self.names("clients", "raison_sociale", client)
            sessions = try await client.call("sessions.list", ["first": 1, "count": true])["total"]?.int
        }

        private static func names(_ table: String, _ column: String, _ client: RPCClient) async throws -> [String] {
            try await client.call("\(table).list", ["select": .string("{ \(column) }"), "first": 100])
                .at("/items").array.compactMap { $0[column]?.text }
        }
    }

    @Test func `a running demo gets a second company, and its administrator chooses between the two`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        #expect(try await Self.seed(on: database).output.contains("demo data loaded"))
        let server = try await TestServer.start(["--demo"], database: database)
        let before = try Self.client(try await Self.session("admin", on: server), on: server)
        let cap = try await Shown(before)

        let seeded = try await Self.seed(["--companies"], on: database)
        #expect(seeded.status == 0, "\(seeded.errors)")
        #expect(seeded.output.contains("second company loaded"), "\(seeded.output)")

        // Without a company a sign-in leads where it did, and what was signed in before goes on.
        let admin = try await Self.session("admin", on: server)
        #expect(admin["company"] == ["id": 1, "name": "Cap Savoirs", "role": "admin"])
        #expect(
            admin["companies"] == [
                ["id": 1, "name": "Cap Savoirs", "role": "admin"],
                ["id": 2, "name": "Rivage Formation", "role": "user"],
            ])
        for client in [before, try Self.client(admin, on: server)] {
            let shown = try await Shown(client)
            #expect(shown == cap)
        }

        let chosen = try await Self.session("admin", 2, on: server)
        let rivage = try Self.client(chosen, on: server)
        let shown = try await Shown(rivage)
        #expect(chosen.at("/user/username") == "Claire Administratrice")
        #expect(shown.sessions == 61 && shown.schools.count == 3 && shown.clients.count == 7)
        #expect(Set(shown.schools).isDisjoint(with: cap.schools))
        #expect(Set(shown.clients).intersection(cap.clients) == ["Biscuiterie Ker Avel"], "a record of each")
        #expect(try await rivage.call("organisme.get", ["select": "{ ville }"])["ville"] == "Brest")
        #expect(try await rivage.refusal("users.list")["code"] == 403, "a user there")

        let accounts = try await LearnTrackProcess.run(
            ["user", "list"], environment: ["DATABASE_URL": database.connectionString])
        let memberships = accounts.output.split(separator: "\n").filter { $0.hasPrefix("admin@demo.learntrack.fr") }
        #expect(memberships.map { $0.contains("Cap Savoirs (company 1)") } == [true, false], "\(accounts.output)")
        #expect(memberships.map { $0.contains("Rivage Formation (company 2)") } == [false, true])

        let keeper = try await Self.session("rivage", on: server)
        #expect(keeper["companies"] == [["id": 2, "name": "Rivage Formation", "role": "admin"]])
        let members = try await Self.client(keeper, on: server).call("users.list", ["select": "{ email }"])
        #expect(
            Set(members.at("/items").array.compactMap { $0["email"]?.text })
                == ["admin@demo.learntrack.fr", "rivage@demo.learntrack.fr"])
        #expect(try await Self.session("user", on: server)["companies"]?.array.count == 1)

        let again = try await Self.seed(["--companies"], on: database)
        #expect(again.status == 0 && again.output.contains("the second company is there already"), "\(again.errors)")
        #expect(try await Shown(rivage) == shown)
        #expect(try await database.psql("SELECT count(*) FROM kernel.companies") == "2")
        #expect(try await server.stop() == 0)
        try await database.drop()
    }

    @Test func `a database with other data gets no second company, and serves one as before`() async throws {
        try await TestDatabase.with { database in
            try await database.psql("INSERT INTO ecoles (nom) VALUES ('École')")
            let run = try await Self.seed(["--companies"], on: database)
            #expect(run.status != 0)
            #expect(run.errors.contains("which this database does not have"), "\(run.errors)")
            let rest = """
                SELECT (SELECT count(*) FROM kernel.companies), (SELECT enabled_at IS NULL FROM kernel.installation)
                """
            #expect(try await database.psql(rest) == "1|t")
        }
    }
}
