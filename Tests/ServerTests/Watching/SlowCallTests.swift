import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct SlowCallTests {
    private func slowCall(_ method: String, in server: TestServer) async throws -> JSONValue {
        var line: JSONValue?
        try await eventually("the slow call is logged") {
            let lines = try server.process.errors.split(separator: "\n").map { try JSONReader.read(String($0)).value }
            line = lines.first { $0["message"] == "Slow call" && $0["method"]?.text == method }
            return line != nil
        }
        return try #require(line)
    }

    private func explain(_ hash: String, _ server: TestServer) async throws -> (
        status: Int32, output: String, errors: String
    ) {
        try await LearnTrackProcess.run(
            ["explain", hash], environment: ["DATABASE_URL": server.database.connectionString])
    }

    @Test func `a slow call is logged once with a hash, and explain shows its statement and its role's plan`()
        async throws
    {
        let server = try await TestServer.start(["--log-format", "json", "--slow-call-ms", "250"])
        let rows = try await Fixtures(server)
        let id = try await rows.client()
        // Each client that an administrator reads now takes 300 ms.
        _ = try await server.database.psql(
            """
            CREATE POLICY slow ON clients AS RESTRICTIVE FOR SELECT TO learntrack_admin
            USING (pg_sleep(0.3) IS NOT NULL)
            """)
        let connection = try server.connection()
        let filter = "{\"raison_sociale\":{\"eq\":\"Société \(rows.mark)\"}}"
        let body = """
            {"jsonrpc":"2.0","id":1,"method":"clients.list","params":{"where":\(filter),"select":"{ id }"}}
            """
        let token = try #require(rows.client.token)
        let answer = try await connection.request(
            "POST", "/rpc", headers: [("Authorization", "Bearer \(token)"), ("X-Request-Id", "a-slow-one")],
            body: Array(body.utf8))
        #expect(answer.text.contains("\"id\":\(id)"), "\(answer.text)")

        let line = try await slowCall("clients.list", in: server)
        #expect(line["request_id"] == "a-slow-one")
        #expect(line["stage"] == "execute")
        #expect(line["account"] != nil)
        #expect(line["ms"]?.double ?? 0 >= 300)
        let hash = try #require(line["sql"]?.text)
        try await eventually("its statement is noted") {
            try await server.database.psql("SELECT count(*) FROM kernel.slow_calls WHERE hash = '\(hash)'") == "1"
        }
        let shown = try await explain(hash, server)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.hasPrefix("clients.list as learntrack_admin, slow at 2"), "\(shown.output)")
        #expect(shown.output.contains("$1"))
        #expect(shown.output.contains("Scan"))
        #expect(shown.output.contains("pg_sleep"), "the policy is that of the role: \(shown.output)")
        #expect(!shown.output.contains(rows.mark))
        #expect(!server.process.errors.contains(rows.mark))
        #expect(try await server.stop() == 0)
    }

    @Test func `a slow write that fails has the hash of its statements, and explain does not run them`() async throws {
        let server = try await TestServer.start(["--log-format", "json", "--slow-call-ms", "250"])
        let rows = try await Fixtures(server)
        _ = try await server.database.psql(
            """
            CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_sleep(0.3); RAISE EXCEPTION 'no'; END
            $$;
            CREATE TRIGGER slow BEFORE UPDATE ON clients FOR EACH ROW EXECUTE FUNCTION slow()
            """)
        let id = try await rows.client()
        _ = try await rows.client.refusal(
            "clients.update", ["id": JSONValue(id), "values": ["ville": "Geheimhausen"], "select": "{ id }"])
        let line = try await slowCall("clients.update", in: server)
        #expect(line["code"] != 0)
        let hash = try #require(line["sql"]?.text)
        try await eventually("its statements are noted") {
            try await server.database.psql("SELECT count(*) FROM kernel.slow_calls WHERE hash = '\(hash)'") == "1"
        }
        let shown = try await explain(hash, server)
        #expect(shown.output.contains("UPDATE clients"), "\(shown.output)\(shown.errors)")
        #expect(shown.output.contains("Update on clients"))
        #expect(!shown.output.contains("Geheimhausen"))
        #expect(!shown.output.contains("There is no plan"))
        #expect(try await server.stop() == 0)
    }

    @Test func `a call that is slow only until its answer is written has its hash and that stage`() async throws {
        let server = try await TestServer.start(["--log-format", "json", "--slow-call-ms", "250"])
        _ = try await Fixtures(server).client()
        _ = try await server.database.psql(
            """
            CREATE POLICY slow ON clients AS RESTRICTIVE FOR SELECT TO learntrack_admin
            USING (pg_sleep(0.3) IS NOT NULL)
            """)
        let token = try #require(try await server.client().token)
        // The answers of a batch are written together.
        let body = """
            [{"jsonrpc":"2.0","id":1,"method":"clients.list","params":{"first":1}},
            {"jsonrpc":"2.0","id":2,"method":"ecoles.list","params":{"first":1}}]
            """
        let answer = try await server.connection().request(
            "POST", "/rpc", headers: [("Authorization", "Bearer \(token)")], body: Array(body.utf8))
        #expect(answer.status == 200, "\(answer.text)")
        let line = try await slowCall("ecoles.list", in: server)
        #expect(line["stage"] == "write")
        let hash = try #require(line["sql"]?.text)
        try await eventually("its statement is noted") {
            try await server.database.psql("SELECT method FROM kernel.slow_calls WHERE hash = '\(hash)'")
                == "ecoles.list"
        }
        #expect(try await server.stop() == 0)
    }

    @Test func `explain of an unknown hash says where hashes are found`() async throws {
        let server = try await TestServer.running()
        let shown = try await explain("0123456789ab", server)
        #expect(shown.status != 0)
        #expect(shown.errors.contains("'Slow call'"), "\(shown.errors)")
    }
}
