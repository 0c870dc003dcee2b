import DomainKit
import JSON
import TestPDF
import TestPostgres
import TestSupport
import Testing

/// kernel.md: files (`PUT /files`, sizes and kinds checked by content, bytes in Postgres).
@Suite struct FileTests {
    /// A picture of this many bytes, at least 100, unlike any other of the process.
    static func png(_ count: Int = 100) -> [UInt8] { PNGFile.bytes(count: count) }

    static let svg = Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><g/></svg>".utf8)

    static func put(
        _ bytes: [UInt8], as client: RPCClient, _ headers: [(String, String)] = []
    ) async throws -> (status: Int, json: JSONValue) {
        let response = try await client.http.request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(client.token ?? "")")] + headers, body: bytes)
        return (response.status, try JSONValue.parse(response.body))
    }

    static func get(
        _ id: JSONValue, as client: RPCClient?, _ headers: [(String, String)] = [], on garden: Garden
    ) async throws -> HTTPConnection.Response {
        let authorization = client?.token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await garden.server.connection().request(
            "GET", "/files/\(id.json)", headers: authorization + headers)
    }

    @Test func `a file is kept once for each account, and given back to it alone`() async throws {
        let garden = try await Garden.running()
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        let bytes = Self.png()
        let (status, file) = try await Self.put(bytes, as: ana.client, [("Content-Type", "text/html")])
        #expect(status == 200, "\(file.json)")
        #expect(file["media_type"] == "image/png")
        #expect(file["size"] == 100)
        let id = file["id"] ?? .null
        let digest = try await garden.server.database.psql(
            "SELECT encode(sha256(b.bytes), 'hex') FROM kernel.file_bytes AS b WHERE b.file_id = \(id.json)")
        #expect(file["sha256"] == .string(digest))
        #expect(try await Self.put(bytes, as: ana.client).json == file)
        #expect(try await Self.put(bytes, as: bao.client).json["id"] != id)

        let found = try await Self.get(id, as: ana.client, on: garden)
        #expect(found.status == 200 && found.body == bytes)
        #expect(found.headers["content-type"] == "image/png")
        #expect(found.headers["x-content-type-options"] == "nosniff")
        #expect(found.headers["content-security-policy"]?.contains("sandbox") == true)
        let tag = try #require(found.headers["etag"])
        let again = try await Self.get(id, as: ana.client, [("If-None-Match", tag)], on: garden)
        #expect(again.status == 304 && again.body.isEmpty)
        for other in [bao.client, try await garden.coordinator()] {
            #expect(try await Self.get(id, as: other, on: garden).status == 404)
        }
        #expect(try await Self.get(id, as: nil, on: garden).status == 401)
        for path in ["0", "999999999", "01", "x", "1/2", "99999999999999999999", ""] {
            #expect(try await Self.get(.number(path), as: ana.client, on: garden).status == 404, "\(path)")
        }
    }

    @Test func `what is no picture and no PDF, too large or without a token is refused, and nothing is kept`()
        async throws
    {
        let garden = try await Garden.running()
        let client = try await garden.gardener().client
        let count = "SELECT count(*) FROM kernel.files AS f JOIN users AS u ON u.id = f.account_id WHERE u.email <> ''"
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"
        let account = try #require(try await client.call("auth.me")["id"])
        let kept = "\(count) AND u.id = \(account.json)"
        for bytes in [[], Array("<html></html>".utf8), Array(svg.utf8), Array("GIF89a".utf8), Self.png() + [0]] {
            let (status, error) = try await Self.put(bytes, as: client, [("Content-Type", "image/png")])
            #expect(status == 415, "\(error.json)")
            #expect(error.at("/error/data/code") == "unsupported_media_type")
        }
        let anonymous = try await garden.server.client(nil)
        #expect(try await Self.put(Self.svg, as: anonymous).status == 401)
        let large = Self.png(2_097_153)
        let connection = try garden.server.connection()
        try await connection.send(
            "PUT /files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(client.token ?? "")\r\n"
                + "Content-Length: \(large.count)\r\n\r\n")
        #expect(try await connection.receive()?.status == 413)
        let drawing = Self.svg + Array(repeating: UInt8(ascii: " "), count: 512 * 1_024)
        let (status, error) = try await Self.put(drawing, as: client)
        #expect(status == 413)
        #expect(error.at("/error/data/code") == "limit_exceeded")
        #expect(error.at("/error/message") == "Donnez un SVG de 512\u{A0}Kio au plus.")
        // More pixels than documents draw.
        for (width, height) in [(12_000, 12_000), (4_001, 4_000)] {
            let (status, error) = try await Self.put(PNGFile.bytes(width: width, height: height), as: client)
            #expect(status == 413, "\(error.json)")
            #expect(error.at("/error/data/code") == "limit_exceeded")
            #expect(error.at("/error/message") == "Donnez une image de 16\u{A0}millions de pixels au plus.")
        }
        // The structure of a picture, without its pixels.
        let damaged = try await Self.put(PNGFile.bytes(width: 10, height: 10, rows: [1, 2, 3]), as: client)
        #expect(damaged.status == 415)
        #expect(damaged.json.at("/error/message").text?.hasPrefix("Cette image est abîmée") == true)
        #expect(try await garden.server.database.psql(kept) == "0")
        let greatest = try await Self.put(
            PNGFile.bytes(count: 2_097_152, width: 4_000, height: 4_000), as: client)
        #expect(greatest.status == 200, "\(greatest.json.json)")
        #expect(try await garden.server.connection().request("GET", "/files").status == 405)
    }

    @Test func `a record names a file of its writer, of the kinds and the size of its column`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let coordinator = try await garden.coordinator()
        let year = Int.random(in: 10_000...2_000_000_000)
        let season = try await garden.server.database.psql(
            "INSERT INTO probe.seasons (year) VALUES (\(year)) RETURNING id")
        func update(_ poster: JSONValue) async throws -> JSONValue {
            try await coordinator.response(
                "seasons.update", ["id": .number(season), "values": ["poster": poster], "select": "{ poster }"])
        }
        let theirs = try await Self.put(Self.png(), as: gardener.client).json["id"] ?? .null
        for missing in [theirs, 999_999_999] {
            let error = try await update(missing)
            #expect(error.at("/error/data/errors/0/path") == "/values/poster", "\(error.json)")
            #expect(error.at("/error/data/errors/0/code") == "not_found", "\(error.json)")
        }
        for bytes in [Self.svg, Self.png(10_001)] {
            let file = try await Self.put(bytes, as: coordinator).json["id"] ?? .null
            let error = try await update(file)
            #expect(error.at("/error/data/errors/0/path") == "/values/poster", "\(error.json)")
            #expect(error.at("/error/data/errors/0/code") == "format", "\(error.json)")
        }
        let bytes = Self.png(10_000)
        let file = try await Self.put(bytes, as: coordinator).json["id"] ?? .null
        #expect(try await Self.get(file, as: gardener.client, on: garden).status == 404)
        #expect(try await update(file).at("/result/poster") == file)
        // Who may read the record may read its file, as long as it names it.
        let shown = try await Self.get(file, as: gardener.client, on: garden)
        #expect(shown.status == 200 && shown.body == bytes)
        let user = try await garden.server.client(TestServer.user)
        #expect(try await Self.get(file, as: user, on: garden).status == 404)
        #expect(try await update(.null).at("/result/poster") == .null)
        #expect(try await Self.get(file, as: gardener.client, on: garden).status == 404)
        let document = try await coordinator.call("rpc.discover")
        let described = document.at("/components/schemas/seasons_update/properties/poster/x-file")
        #expect(
            described == ["max_bytes": 10_000, "media_types": ["image/png", "application/pdf"]], "\(described.json)")
    }

    @Test func `an access key reads the files that its role reads, and no others of its account`() async throws {
        let garden = try await Garden.running()
        let coordinator = try await garden.coordinator()
        let account = try await coordinator.call("auth.me")["id"] ?? .null
        func client(as role: String) async throws -> RPCClient {
            let key = try await garden.server.client().call(
                "auth.create_access_key", ["account_id": account, "role": .string(role), "name": "Affichage"])
            return try RPCClient(port: garden.server.port, token: try #require(key["key"]?.text))
        }
        let (reader, user) = (try await client(as: "coordinator"), try await client(as: "user"))
        let file = try await Self.put(Self.png(), as: coordinator).json["id"] ?? .null
        #expect(try await Self.get(file, as: coordinator, on: garden).status == 200)
        for key in [reader, user] {
            #expect(try await Self.get(file, as: key, on: garden).status == 404)
            #expect(try await key.refusal("files.lien", ["id": file])["code"] == 404)
        }
        let year = Int.random(in: 10_000...2_000_000_000)
        let season = try await garden.server.database.psql(
            "INSERT INTO probe.seasons (year) VALUES (\(year)) RETURNING id")
        _ = try await coordinator.call("seasons.update", ["id": .number(season), "values": ["poster": file]])
        #expect(try await Self.get(file, as: reader, on: garden).status == 200)
        #expect(try await Self.get(file, as: user, on: garden).status == 404)
        // Who may name a file in a record may give one.
        #expect(try await Self.put(Self.png(), as: reader).status == 200)
        let (status, error) = try await Self.put(Self.png(), as: user)
        #expect(status == 403 && error.at("/error/data/code") == "forbidden", "\(error.json)")
    }

    // MARK: Links

    @Test func `a link opens a file without a token, for whom may read it, as long as they may`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let coordinator = try await garden.coordinator()
        let bytes = Self.png()
        let file = try await Self.put(bytes, as: coordinator).json["id"] ?? .null
        let own = try await coordinator.call("files.lien", ["id": file])
        #expect(own["name"] == .string("fichier-\(file.json).png"), "\(own.json)")
        #expect(own["media_type"] == "image/png" && own["expires_at"]?.text != nil, "\(own.json)")
        let opened = try await garden.server.open(own)
        #expect(opened.status == 200 && opened.body == bytes)
        #expect(opened.headers["content-type"] == "image/png")
        #expect(opened.headers["content-disposition"]?.hasPrefix("inline") == true)
        #expect(opened.headers["x-content-type-options"] == "nosniff")
        #expect(opened.headers["content-security-policy"]?.contains("sandbox") == true)
        let tag = try #require(opened.headers["etag"])
        #expect(try await garden.server.open(own, headers: [("If-None-Match", tag)]).status == 304)

        for id in [file, 999_999_999] {
            let refusal = try await gardener.client.refusal("files.lien", ["id": id])
            #expect(refusal["code"] == 404, "\(refusal.json)")
        }
        #expect(try await garden.server.client(nil).refusal("files.lien", ["id": file])["code"] == 401)
        #expect(try await coordinator.refusal("files.lien", ["id": "x"])["code"] == -32602)

        // Who may read a record that names it has a link, which ends when the record names it no more.
        let year = Int.random(in: 10_000...2_000_000_000)
        let season = try await garden.server.database.psql(
            "INSERT INTO probe.seasons (year) VALUES (\(year)) RETURNING id")
        func name(_ poster: JSONValue) async throws {
            _ = try await coordinator.call("seasons.update", ["id": .number(season), "values": ["poster": poster]])
        }
        try await name(file)
        let theirs = try await gardener.client.call("files.lien", ["id": file])
        #expect(try await garden.server.open(theirs).body == bytes)
        let user = try await garden.server.client(TestServer.user)
        #expect(try await user.refusal("files.lien", ["id": file])["code"] == 404)
        try await name(.null)
        #expect(try await garden.server.open(theirs).status == 404)
        #expect(try await garden.server.open(own).status == 200)
    }

    /// The answer of Postgres alone, in the rights of each role.
    @Test(arguments: [("learntrack_user", "f"), ("learntrack_admin", "f"), ("learntrack_coordinator", "t")])
    func `the database says which roles may read a record that names a file`(
        role: String, expected: String
    ) async throws {
        let garden = try await Garden.running()
        let coordinator = try await garden.coordinator()
        let file = try await Self.put(Self.png(), as: coordinator).json["id"] ?? .null
        let year = Int.random(in: 10_000...2_000_000_000)
        let season = try await garden.server.database.psql(
            "INSERT INTO probe.seasons (year) VALUES (\(year)) RETURNING id")
        func named() async throws -> String {
            try await garden.server.database.psql("SET ROLE \(role); SELECT kernel.file_named(\(file.json))")
        }
        #expect(try await named() == "f")
        _ = try await coordinator.call("seasons.update", ["id": .number(season), "values": ["poster": file]])
        #expect(try await named() == expected)
    }

    @Test func `a file that no record names goes after a day, and others stay`() async throws {
        let garden = try await Garden(.probe())
        let client = try await garden.coordinator()
        let season = try await garden.server.database.psql("INSERT INTO probe.seasons (year) VALUES (1) RETURNING id")
        let files = [Self.png(), Self.png(), Self.png(), Self.png()]
        var ids: [JSONValue] = []
        for bytes in files { ids.append(try await Self.put(bytes, as: client).json["id"] ?? .null) }
        _ = try await client.call("seasons.update", ["id": .number(season), "values": ["poster": ids[0]]])
        try await garden.server.database.psql(
            """
            CREATE TABLE probe.albums (file_id bigint REFERENCES kernel.files (id) ON DELETE CASCADE);
            INSERT INTO probe.albums VALUES (\(ids[3].json))
            """)
        let prune = "SELECT kernel.files_prune('1 day', 100)"
        #expect(try await garden.server.database.psql(prune) == "0")
        try await garden.server.database.psql("UPDATE kernel.files SET given_at = now() - interval '25 hours'")
        // Bytes that are given again count as new.
        #expect(try await Self.put(files[1], as: client).json["id"] == ids[1])
        #expect(try await garden.server.database.psql(prune) == "1")
        var statuses: [Int] = []
        for id in ids { statuses.append(try await Self.get(id, as: client, on: garden).status) }
        #expect(statuses == [200, 200, 404, 200])
        #expect(try await garden.server.database.psql("SELECT count(*) FROM kernel.file_bytes") == "3")
        #expect(try await garden.server.stop() == 0)
    }

    @Test func `a file waits for no other of its account`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let (client, account) = (gardener.client, gardener.account.json)
        let database = garden.server.database
        let holder = Task {
            try await database.psql(
                """
                SET application_name = 'file \(account)';
                SELECT pg_advisory_lock(hashtextextended('kernel.files 1', \(account))); SELECT pg_sleep(60)
                """)
        }
        let holds = """
            FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'file \(account)' AND wait_event = 'PgSleep'
            """
        try await eventually { try await database.psql("SELECT count(*) \(holds)") == "1" }
        let refused = try await client.http.request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(client.token ?? "")")], body: Self.png())
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"] == "1")
        try await database.psql("SELECT pg_cancel_backend(pid) \(holds)")
        _ = await holder.result
        try await eventually { try await Self.put(Self.png(), as: client).status == 200 }
    }

    @Test func `the same bytes at once are one file, and an account gives 64 MiB within a day`() async throws {
        let garden = try await Garden(.probe())
        let bytes = Self.png(2_000_000)
        let coordinator = try await garden.coordinator()
        let clients = try (0..<6).map { _ in try RPCClient(port: garden.server.port, token: coordinator.token) }
        let ids = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for client in clients { group.addTask { try await Self.put(bytes, as: client).json["id"] ?? .null } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1.json) }
        }
        #expect(ids.count == 1, "\(ids)")
        try await garden.server.database.psql(
            """
            INSERT INTO kernel.files (account_id, sha256, media_type, size)
            SELECT account_id, sha256(i::text::bytea), media_type, 2097152
            FROM kernel.files, generate_series(1, 31) AS i
            """)
        let refused = try await coordinator.http.request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(coordinator.token ?? "")")],
            body: Self.png(2_000_000))
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"] == "3600")
        // What it has given already it may give again.
        #expect(try await Self.put(bytes, as: coordinator).status == 200)
        #expect(try await garden.server.stop() == 0)
    }
}
