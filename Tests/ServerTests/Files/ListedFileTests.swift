import JSON
import TestPostgres
import TestSupport
import Testing

/// Files that objects inside a column name: ProbeDomain's observations have blocks, some of which are photos.
@Suite struct ListedFileTests {
    private static func photo(_ file: JSONValue, _ place: Int = 0) -> JSONValue {
        [
            "kind": "photo", "id": .string("0b54b1c4-55a0-4d0e-9a5e-3a6b8f5c1d2\(place)"), "place": JSONValue(place),
            "photo": file, "text": "Le carré",
        ]
    }

    private static func observe(
        _ gardener: Garden.Gardener, _ blocks: [JSONValue], as client: RPCClient? = nil
    ) async throws -> JSONValue {
        var values: [JSONObject.Member] = [
            .init("plot_id", JSONValue(gardener.plot)), .init("mood", 1), .init("blocks", .array(blocks)),
        ]
        // The server fills in whose it is, if a gardener writes it.
        if client != nil { values.append(.init("gardener_id", JSONValue(gardener.id))) }
        return try await (client ?? gardener.client).response(
            "observations.create", ["values": .object(JSONObject(values)), "select": "{ id blocks }"])
    }

    private static func give(_ bytes: [UInt8], as client: RPCClient) async throws -> JSONValue {
        try await FileTests.put(bytes, as: client).json["id"] ?? .null
    }

    @Test func `a file is refused at its place: one that does not exist, of another account, of another kind`()
        async throws
    {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let other = try await garden.gardener()
        let own = try await Self.give(FileTests.png(), as: gardener.client)
        let theirs = try await Self.give(FileTests.png(), as: other.client)
        let large = try await Self.give(FileTests.png(100_001), as: gardener.client)
        let drawing = try await Self.give(FileTests.svg, as: gardener.client)
        for (file, code): (JSONValue, JSONValue) in [
            (999_999_999, "not_found"), (theirs, "not_found"), (large, "format"), (drawing, "format"),
        ] {
            let error = try await Self.observe(gardener, [Self.photo(own, 0), Self.photo(file, 1)])
            #expect(error.at("/error/data/errors/0/path") == "/values/blocks/1/photo", "\(error.json)")
            #expect(error.at("/error/data/errors/0/code") == code, "\(error.json)")
        }
        let made = try await Self.observe(gardener, [Self.photo(own)])
        #expect(made.at("/result/blocks/0/photo") == own, "\(made.json)")
        let document = try await gardener.client.call("rpc.discover")
        #expect(document.json.contains("\"max_bytes\":100000"))
    }

    @Test func `who may read a record reads the files inside it, names them elsewhere, and keeps them`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let (other, coordinator) = (try await garden.gardener(), try await garden.coordinator())
        let bytes = FileTests.png()
        let file = try await Self.give(bytes, as: gardener.client)
        #expect(try await FileTests.get(file, as: coordinator, on: garden).status == 404)
        let early = try await Self.observe(gardener, [Self.photo(file)], as: coordinator)
        #expect(early.at("/error/data/errors/0/code") == "not_found", "\(early.json)")
        let made = try await Self.observe(gardener, [Self.photo(file)])
        let id = made.at("/result/id")
        let shown = try await FileTests.get(file, as: coordinator, on: garden)
        #expect(shown.status == 200 && shown.body == bytes)
        #expect(try await FileTests.get(file, as: other.client, on: garden).status == 404)
        // The coordinator reads it, and so may name it in another record; another gardener may not.
        let passed = try await Self.observe(other, [Self.photo(file)], as: coordinator)
        #expect(passed.at("/result/blocks/0/photo") == file, "\(passed.json)")
        #expect(try await FileTests.get(file, as: other.client, on: garden).status == 200)
        let third = try await garden.gardener()
        let refused = try await Self.observe(third, [Self.photo(file)])
        #expect(refused.at("/error/data/errors/0/path") == "/values/blocks/0/photo", "\(refused.json)")

        // The last record that names it is gone: its giver alone reads it.
        let database = garden.server.database
        try await database.psql(
            """
            UPDATE probe.observations SET blocks = NULL WHERE id = \(id.json);
            DELETE FROM probe.observations WHERE id = \(passed.at("/result/id").json)
            """)
        #expect(try await database.psql("SELECT count(*) FROM kernel.listed_files WHERE file_id = \(file.json)") == "0")
        for client in [coordinator, other.client] {
            #expect(try await FileTests.get(file, as: client, on: garden).status == 404)
        }
        #expect(try await FileTests.get(file, as: gardener.client, on: garden).status == 200)
    }

    @Test func `a file that a record names inside stays, and psql cannot name one that is none`() async throws {
        let garden = try await Garden(.probe())
        let gardener = try await garden.gardener()
        let database = garden.server.database
        let named = try await Self.give(FileTests.png(), as: gardener.client)
        let unnamed = try await Self.give(FileTests.png(), as: gardener.client)
        let made = try await Self.observe(gardener, [Self.photo(named)])
        #expect(made["result"] != nil, "\(made.json)")
        try await database.psql("UPDATE kernel.files SET given_at = now() - interval '25 hours'")
        #expect(try await database.psql("SELECT kernel.files_prune('1 day', 100)") == "1")
        #expect(try await FileTests.get(named, as: gardener.client, on: garden).status == 200)
        #expect(try await FileTests.get(unnamed, as: gardener.client, on: garden).status == 404)
        let refused = try await database.psql(
            """
            DO $$ BEGIN
                UPDATE probe.observations SET blocks = blocks || '{"photo": 999}';
            EXCEPTION WHEN integrity_constraint_violation THEN
                CREATE TABLE public.refused ();
            END $$;
            SELECT to_regclass('public.refused') IS NOT NULL
            """)
        #expect(refused == "t")
        #expect(try await garden.server.stop() == 0)
    }

    /// What a role sees of files by itself, in Postgres: what it reads a record of.
    @Test func `a role sees which files the records name that it reads, and no others`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let file = try await Self.give(FileTests.png(), as: gardener.client)
        func seen(as role: String, subject: Int? = nil) async throws -> String {
            try await garden.server.database.psql(
                """
                SET learntrack.subject = '\(subject.map(String.init) ?? "")'; SET ROLE \(role);
                SELECT (SELECT count(*) FROM kernel.files WHERE id = \(file.json)),
                    (SELECT count(*) FROM kernel.listed_files WHERE file_id = \(file.json))
                """)
        }
        #expect(try await seen(as: "learntrack_coordinator") == "0|0")
        #expect(try await Self.observe(gardener, [Self.photo(file)])["result"] != nil)
        #expect(try await seen(as: "learntrack_coordinator") == "1|1")
        #expect(try await seen(as: "learntrack_gardener", subject: gardener.id) == "1|1")
        #expect(try await seen(as: "learntrack_gardener", subject: gardener.id + 1) == "0|0")
        #expect(try await seen(as: "learntrack_user") == "0|0")
    }
}
