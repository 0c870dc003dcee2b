import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// kernel.md, "The design's test": "each domain alone, and all together: empty database, migrate, seed, discover, explorer,
/// TypeScript compiles".
@Suite struct GardenInstallationTests {
    @Test(arguments: [["probe"], ["crm", "probe"], ["crm"]])
    func `an empty database is migrated, seeded and served, and the client compiles`(domains: [String]) async throws {
        let program = TestProgram.probe(domains)
        let database = try await program.migratedDatabase()
        let environment = ["DATABASE_URL": database.connectionString]
        let again = try await LearnTrackProcess.run(["migrate", "status"], environment: environment, program: program)
        #expect(again.status == 0, "\(again.output)\(again.errors)")
        let seed = try await LearnTrackProcess.run(["seed"], environment: environment, program: program)
        #expect(seed.output.contains("demo data loaded"), "\(seed.errors)")
        let server = try await TestServer.start(["--demo"], database: database, program: program)
        let served = domains.contains("probe")
        if served { #expect(try await database.psql("SELECT count(*) FROM probe.plots") == "2") }

        let http = try server.connection()
        #expect(try await http.request("GET", "/explorer").status == 200)
        #expect(try await http.request("GET", "/health/ready").status == 200)
        let document = try await http.request("GET", "/openrpc.json").text
        #expect(document.contains("\"plots.move\"") == served)
        #expect(document.contains("\"sessions.list\"") == domains.contains("crm"))
        let discovered = try await server.client().call("rpc.discover")
        #expect(discovered.at("/methods").array.contains { $0["name"] == "yields.list" } == served)

        // What the server gives to the tables of subjects is not foreign to the schema.
        let examined = try await LearnTrackProcess.run(["doctor"], environment: environment, program: program)
        #expect(examined.output.contains("schema"), "\(examined.output)\(examined.errors)")
        #expect(!examined.output.contains("by no migration"), "\(examined.output)")

        let client = try await LearnTrackProcess.run(["client", "typescript"], program: program)
        let scratch = try TemporaryFolder()
        try scratch.write(client.output, to: "client.ts")
        let check = try await ExternalProgram.run(
            "/usr/bin/tsc",
            [
                "--strict", "--skipDefaultLibCheck", "--target", "es2018", "--lib", "es2018,dom", "--noEmit",
                "--pretty", "false", "client.ts",
            ],
            in: scratch.url)
        #expect(check.status == 0, "\(check.output)")
    }

    @Test func `an account acts in each domain in the role that it has there`() async throws {
        let garden = try await Garden(.probe(["crm", "probe"]))
        let gardener = try await garden.gardener()
        let answer = try await gardener.client.response(
            "transaction.run",
            [
                "calls": [
                    ["method": "plots.move", "params": ["id": JSONValue(gardener.plot), "state": "planted"]],
                    [
                        "method": "plots.update",
                        "params": ["id": JSONValue(gardener.plot), "values": ["name": "Deux"]],
                    ],
                ]
            ])
        #expect(answer.at("/result/results/1/version") == 3, "\(answer.json)")
        #expect(try await gardener.client.response("sessions.list", ["first": 1])["result"] != nil)
    }
}
