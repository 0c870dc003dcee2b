import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// The records that a call of a command names are read in its role before the function runs.
@Suite struct NamedRecordTests {
    private static let missing = 987_654_321

    @Test func `an unknown id is answered with the path of its parameter`() async throws {
        let rows = try await Fixtures()
        let client = JSONValue(try await rows.client())
        for (params, place) in [
            (["garde": client, "absorbe": JSONValue(Self.missing)], "absorbe"),
            (["garde": JSONValue(Self.missing), "absorbe": client], "garde"),
            (["garde": JSONValue(Self.missing), "absorbe": JSONValue(Self.missing + 1)], "garde"),
        ] as [(JSONValue, String)] {
            let error = try await rows.client.refusal("clients.fusionner", params)
            #expect(error["code"] == 404)
            #expect(error.at("/data/path") == .string("/\(place)"), "\(error.json)")
            let call: JSONValue = ["method": "clients.fusionner", "params": params]
            let inCall = try await rows.client.refusal("transaction.run", ["calls": [call]])
            #expect(inCall["code"] == 404)
            #expect(inCall.at("/data/path") == .string("/calls/0/params/\(place)"), "\(inCall.json)")
            let tried = try await rows.client.refusal("clients.fusionner", params.setting("/dry_run", to: true))
            #expect(tried.at("/data/path") == .string("/\(place)"), "\(tried.json)")
        }
    }

    @Test func `a reference to a record that an earlier call has deleted is answered with its path`() async throws {
        let rows = try await Fixtures()
        let (kept, other) = (try await rows.client(), try await rows.client())
        let calls: [JSONValue] = [
            ["method": "clients.delete", "as": "gone", "params": ["id": JSONValue(other)]],
            [
                "method": "clients.fusionner",
                "params": ["garde": JSONValue(kept), "absorbe": ["$ref": "gone.id"]],
            ],
        ]
        let error = try await rows.client.refusal("transaction.run", ["calls": .array(calls)])
        #expect(error["code"] == 404)
        #expect(error.at("/data/path") == "/calls/1/params/absorbe", "\(error.json)")
        // The same with a record that an earlier call has created, which only the transaction sees.
        let created: JSONValue = [
            "method": "clients.create", "as": "made", "params": ["values": ["raison_sociale": .string(rows.mark)]],
        ]
        let merge: JSONValue = [
            "method": "clients.fusionner", "params": ["garde": JSONValue(kept), "absorbe": ["$ref": "made.id"]],
        ]
        let merged = try await rows.client.call("transaction.run", ["calls": [created, merge]])
        #expect(merged.at("/results/1/id") == JSONValue(kept))
    }

    @Test func `a record that is deleted before the function locks it is answered with its path, too`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let (kept, other) = (try await rows.client(), try await rows.client())
        // What another transaction commits between the read and the lock.
        try await server.database.psql(
            """
            CREATE OR REPLACE FUNCTION public.clients_fusionner(garde bigint, absorbe bigint, donnees jsonb) RETURNS bigint
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $f$ BEGIN PERFORM kernel.no_record(absorbe); END $f$
            """)
        let params: JSONValue = ["garde": JSONValue(kept), "absorbe": JSONValue(other)]
        let error = try await rows.client.refusal("clients.fusionner", params)
        #expect(error["code"] == 404)
        #expect(error.at("/data/path") == "/absorbe", "\(error.json)")
        let calls: [JSONValue] = [
            ["method": "clients.update", "as": "a", "params": ["id": JSONValue(other), "values": ["ville": "Lyon"]]],
            ["method": "clients.fusionner", "params": ["garde": JSONValue(kept), "absorbe": ["$ref": "a.id"]]],
        ]
        let inCall = try await rows.client.refusal("transaction.run", ["calls": .array(calls)])
        #expect(inCall.at("/data/path") == "/calls/1/params/absorbe", "\(inCall.json)")
        #expect(try await server.stop() == 0)
    }

    @Test func `of two named records with one id, the one of another version is answered as present`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let client = try await rows.client([("raison_sociale", "Le client")])
        _ = try await rows.client.call("clients.update", ["id": JSONValue(client), "values": ["ville": "Lyon"]])
        let prospect = try await rows.client.call(
            "prospects.create", ["values": ["raison_sociale": "Le prospect"], "select": "{ id version }"])
        #expect(prospect["id"] == JSONValue(client) && prospect["version"] == 1, "\(prospect.json)")
        try await server.database.psql(
            """
            CREATE OR REPLACE FUNCTION public.prospects_convertir(prospect bigint, donnees jsonb, client bigint) RETURNS bigint
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $f$ BEGIN
                    PERFORM kernel.check_version(c.id, c.version, 7) FROM public.clients AS c WHERE c.id = client;
                END $f$
            """)
        let refusal = try await rows.client.refusal(
            "prospects.convertir", ["id": JSONValue(client), "client_id": JSONValue(client)])
        #expect(refusal["code"] == 409 && refusal.at("/data/reason") == "version", "\(refusal.json)")
        #expect(refusal.at("/data/current/raison_sociale") == "Le client", "\(refusal.json)")
        #expect(refusal.at("/data/current/version") == 2, "\(refusal.json)")
        #expect(try await server.stop() == 0)
    }

    @Test func `a repeated call whose record is gone meanwhile is answered as before`() async throws {
        let rows = try await Fixtures()
        let (kept, other) = (try await rows.client(), try await rows.client())
        let params: JSONValue = [
            "garde": JSONValue(kept), "absorbe": JSONValue(other), "select": "{ id }",
            "idempotency_key": .string(rows.mark),
        ]
        let first = try await rows.client.call("clients.fusionner", params)
        // The merge itself has deleted one of the two.
        #expect(try await rows.client.call("clients.fusionner", params) == first)
        _ = try await rows.client.call("clients.delete", ["id": JSONValue(kept)])
        #expect(
            try await rows.client.call("clients.fusionner", params) == ["deleted": true, "id": JSONValue(kept)])
    }

    @Test func `a function does not run, and its refusals show nothing, for the row of another`() async throws {
        let garden = try await Garden(.probe())
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        // A function that does not ask who calls it, and refuses everyone.
        try await garden.server.database.psql(
            """
            CREATE OR REPLACE FUNCTION probe.move_plot(plot bigint, new_state text, if_version integer) RETURNS bigint
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $f$ BEGIN PERFORM kernel.refuse('plots_state_order', '{"state": "fallow"}'); END $f$
            """)
        let params: JSONValue = ["id": JSONValue(ana.plot), "state": "planted"]
        #expect(try await ana.client.refusal("plots.move", params)["code"] == 409)
        let coordinator = try await garden.coordinator()
        #expect(try await coordinator.refusal("plots.move", params)["code"] == 409)
        let error = try await bao.client.refusal("plots.move", params)
        #expect(error["code"] == 404, "\(error.json)")
        #expect(error.at("/data/path") == "/id")
        #expect(try await garden.server.stop() == 0)
    }

    @Test func `a command that answers no record can say that one does not exist`() async throws {
        let garden = try await Garden(.probe())
        let ana = try await garden.gardener()
        try await garden.server.database.psql(
            """
            CREATE OR REPLACE FUNCTION probe.note_presence() RETURNS void
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $f$ BEGIN PERFORM kernel.no_record(7); END $f$;
            CREATE OR REPLACE FUNCTION probe.harvest(harvest_day date, items jsonb) RETURNS jsonb
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $f$ BEGIN PERFORM kernel.no_record(7, '/items/0/planting_id'); END $f$;
            """)
        let none = try await ana.client.refusal("presences.note")
        #expect(none["code"] == 404, "\(none.json)")
        #expect(none["message"] == "Cet enregistrement n’existe pas.")
        #expect(none["data"]?["path"] == nil)
        let harvest: JSONValue = ["day": "2026-07-01", "items": [["planting_id": 7, "kilos": 3]]]
        let value = try await ana.client.refusal("plantings.harvest", harvest)
        #expect(value["code"] == 404, "\(value.json)")
        #expect(value.at("/data/path") == "/items/0/planting_id")
        let inCall = try await ana.client.refusal(
            "transaction.run", ["calls": [["method": "presences.note"]]])
        #expect(inCall["code"] == 404)
        #expect(inCall.at("/data/path") == "/calls/0")
        #expect(try await garden.server.stop() == 0)
    }
}
