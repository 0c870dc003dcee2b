import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// What a function of a command raises and nothing declares is an error of the service: logged, and not revealed.
@Suite struct UndeclaredErrorTests {
    /// The statements of functions, each with a word of its error.
    private static let bodies = [
        "RAISE EXCEPTION 'zqsecret'", "RAISE EXCEPTION 'zqsecret' USING ERRCODE = '23000', CONSTRAINT = 'zqsecret'",
        "PERFORM kernel.refuse('zqsecret', '{\"zqsecret\": 1}', '/dates/0')", "PERFORM 'zqsecret'::integer",
        "PERFORM 1 FROM public.zqsecret",
        "RAISE EXCEPTION 'zqsecret' USING ERRCODE = '23505', CONSTRAINT = 'zqsecret', DETAIL = 'zqsecret'",
        "RAISE EXCEPTION 'zqsecret' USING CONSTRAINT = 'sessions_repeter_dates'",
    ]

    @Test func `an undeclared error is internal and undoes everything`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let id = try await rows.session()
        let call: JSONValue = ["id": JSONValue(id), "dates": ["2026-05-04"]]
        for (index, body) in Self.bodies.enumerated() {
            try await server.database.psql(
                """
                CREATE OR REPLACE FUNCTION public.sessions_repeter(session bigint, dates jsonb) RETURNS bigint[]
                    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $f$
                BEGIN
                    UPDATE public.sessions SET lieu = 'changed' WHERE id = session;
                    \(body);
                    RETURN ARRAY[session];
                END
                $f$
                """)
            let errors = [
                try await rows.client.refusal("sessions.repeter", call),
                try await rows.client.refusal(
                    "transaction.run", ["calls": [["method": "sessions.repeter", "params": call]]]),
            ]
            for error in errors {
                #expect(error["code"] == -32603, "\(body): \(error.json)")
                #expect(error.at("/data/code") == "internal")
                for word in ["zqsecret", "sessions_repeter", "plpgsql", "/dates"] {
                    #expect(!error.json.contains(word), "\(body): \(error.json)")
                }
            }
            let place = try await rows.client.call("sessions.get", ["id": JSONValue(id), "select": "{ lieu }"])
            #expect(place["lieu"] == .null)
            try await eventually {
                let logged = server.process.errors + server.process.output
                return logged.components(separatedBy: "-32603").count > 2 * index + 2
            }
        }
        #expect(try await server.stop() == 0)
    }

    @Test func `a function that is missing is named at the start`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        // Otherwise the start would apply the files of functions, which psql has not recorded.
        let migrated = try await LearnTrackProcess.run(
            ["migrate", "up"], environment: ["DATABASE_URL": database.connectionString])
        #expect(migrated.status == 0, "\(migrated.errors)")
        try await database.psql("DROP FUNCTION public.sessions_repeter(bigint, jsonb)")
        let process = try LearnTrackProcess(
            ["serve", "--port", "0"],
            environment: ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret])
        #expect(try await process.waitForExit() != 0)
        #expect(process.errors.contains("public.sessions_repeter(bigint, jsonb)"), "\(process.errors)")
    }
}
