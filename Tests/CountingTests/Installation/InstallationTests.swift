import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// "`--domains crm,counting` and `--domains counting` both serve, seed and describe themselves."
@Suite struct InstallationTests {
    @Test(arguments: [["counting"], ["crm", "counting"]])
    func `an empty database is migrated, seeded and served, and the client compiles`(domains: [String]) async throws {
        let program = TestProgram.learntrack(serving: domains)
        let server =
            domains == ["counting"] ? try await DemoTests.shared.value() : try await DemoTests.start(serving: domains)
        let database = server.database
        let environment = ["DATABASE_URL": database.connectionString]
        let status = try await LearnTrackProcess.run(["migrate", "status"], environment: environment, program: program)
        #expect(status.status == 0, "\(status.output)\(status.errors)")
        let again = try await LearnTrackProcess.run(["seed"], environment: environment, program: program)
        #expect(again.output.contains("nothing loaded"), "\(again.output)\(again.errors)")
        #expect(try await database.psql("SELECT count(*) > 19000 FROM counting.entries") == "t")
        let hasCRM = domains.contains("crm")
        #expect(try await database.psql("SELECT to_regclass('public.sessions') IS NOT NULL") == (hasCRM ? "t" : "f"))

        let http = try server.connection()
        #expect(try await http.request("GET", "/explorer").status == 200)
        #expect(try await http.request("GET", "/health/ready").status == 200)
        let document = try await server.client().call("rpc.discover")
        let methods = Set(document.at("/methods").array.compactMap { $0["name"]?.text })
        #expect(Self.methods.subtracting(methods).isEmpty, "\(Self.methods.subtracting(methods))")
        #expect(methods.contains("sessions.list") == hasCRM)
        #expect(try await server.client().response("locations.list", ["first": 1])["result"] != nil)

        let client = try await LearnTrackProcess.run(["client", "typescript"], program: program)
        #expect(client.errors == "")
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
        // The shared server keeps its data.
        if hasCRM { try await Self.expectNothing(in: server) }
    }

    /// Expects that no figure is left after the last row has gone.
    private static func expectNothing(in server: TestServer) async throws {
        try await server.database.psql("TRUNCATE counting.entries")
        let admin = try await server.client()
        let states = try await admin.call(
            "counter_states.list", ["select": "{ id current_count last_event_at freshness_seconds }"])
        #expect(states.at("/items").array.count == 3)
        for state in states.at("/items").array {
            expect(state, has: ["current_count": 0, "last_event_at": .null, "freshness_seconds": .null])
            let kpis = try await admin.call(
                "counter_kpis.list", ["location_id": state["id"] ?? .null, "range": "last_30"])
            expect(
                kpis.at("/items/0"),
                has: ["total_in": 0, "total_out": 0, "peak_occupancy": 0, "peak_flow": 0, "average_occupancy": 0])
        }
    }

    private static let methods: Set<String> = [
        "locations.list", "locations.get", "locations.create", "locations.update", "locations.delete",
        "locations.aggregate", "locations.history", "locations.end_day", "devices.list", "devices.get",
        "devices.create", "devices.update", "devices.delete", "devices.history", "devices.heartbeat", "entries.list",
        "entries.get", "entries.aggregate", "entries.record", "entries.record_batch", "entries.override",
        "entries.simulate", "counter_states.list", "counter_states.get", "counter_snapshots.list",
        "counter_snapshots.get", "counter_snapshots.close_days", "counter_kpis.list", "counter_kpis.aggregate",
        "counter_charts.list", "counter_charts.aggregate", "counter_issues.list", "counter_issues.aggregate",
    ]

    @Test func `an installation that does not serve the domain has none of its methods`() async throws {
        let described = try await LearnTrackProcess.run(["openrpc"])
        let document = try JSONValue.parse(Array(described.output.utf8))
        let methods = Set(document.at("/methods").array.compactMap { $0["name"]?.text })
        #expect(methods.contains("sessions.list") && methods.isDisjoint(with: Self.methods))
    }

    @Test func `the document has the parameters, answers and conflicts of the commands`() async throws {
        let served = try await CountingServer.running()
        let document = try await served.admin().call("rpc.discover")
        func method(_ name: String) -> JSONValue {
            document.at("/methods").array.first { $0["name"] == .string(name) } ?? .null
        }
        func names(_ method: JSONValue, required: Bool? = nil) -> Set<String> {
            Set(
                method.at("/params").array.filter { required == nil || ($0["required"]?.bool ?? false) == required }
                    .compactMap { $0["name"]?.text })
        }
        let record = method("entries.record")
        #expect(
            names(record, required: true) == ["sequence_number", "delta", "gateway_timestamp", "gateway_session_id"])
        #expect(names(record).contains("device_timestamp") && !names(record).contains("device_id"))
        #expect(names(method("entries.record_batch"), required: true) == ["gateway_session_id", "events"])
        #expect(names(method("devices.heartbeat"), required: true) == ["gateway_session_id"])
        #expect(names(method("entries.override"), required: true) == ["location_id", "delta"])
        #expect(names(method("entries.simulate"), required: true) == ["device_id", "delta"])
        #expect(names(method("locations.end_day"), required: true) == ["id"])
        for view in ["counter_kpis", "counter_charts", "counter_issues"] {
            let list = method("\(view).list")
            #expect(names(list, required: true) == ["location_id"], "\(view)")
            #expect(names(list).isSuperset(of: ["range", "from", "to"]), "\(view)")
            #expect(names(list).contains("granularity") == (view != "counter_issues"), "\(view)")
        }
        #expect(record.json.contains("inactive_device"))
    }
}
