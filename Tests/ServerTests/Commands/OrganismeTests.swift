import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// learntrack-next.md, Documents: the singleton `organisme`; Planning: `organisme.conflits_interdits`.
@Suite struct OrganismeTests {
    /// A server of its own, because the rule would refuse the sessions of other tests.
    private static func with(_ body: (TestServer, Fixtures) async throws -> Void) async throws {
        let server = try await TestServer.start()
        try await body(server, try await Fixtures(server))
        #expect(try await server.stop() == 0)
    }

    private static func set(_ values: JSONValue, _ client: RPCClient) async throws -> JSONValue {
        let id = try await client.call("organisme.ouvrir", ["select": "{ id }"])["id"] ?? .null
        return try await client.call("organisme.update", ["id": id, "values": values])
    }

    // MARK: The record

    @Test func `the organisme is one record that the first call creates, also of two at once, for users too`()
        async throws
    {
        try await Self.with { server, rows in
            let user = try await server.client(TestServer.user)
            #expect(try await user.call("organisme.list")["items"] == [])
            async let first = rows.client.response("organisme.ouvrir")
            async let second = user.response("organisme.ouvrir")
            let answers = [try await first, try await second]
            let id = answers[0].at("/result/id")
            #expect(id.int != nil, "\(answers.map(\.json))")
            #expect(answers[1].at("/result/id") == id)
            #expect(try await user.call("organisme.ouvrir")["version"] == 1)
            #expect(try await server.database.psql("SELECT count(*) FROM organisme") == "1")
            let another = try? await server.database.psql("INSERT INTO organisme DEFAULT VALUES")
            #expect(another == nil)
            let refused = try await user.refusal("organisme.update", ["id": id, "values": ["ville": "Lyon"]])
            #expect(refused["code"] == 403)
            for method in ["organisme.create", "organisme.delete"] {
                #expect(try await rows.client.refusal(method, ["id": id])["code"] == -32601)
            }
            let changed = try await rows.client.call(
                "organisme.update",
                ["id": id, "values": ["raison_sociale": "Cap Savoirs", "siret": "732 829 320 00074"]])
            #expect(changed["raison_sociale"] == "Cap Savoirs")
            #expect(changed["conflits_interdits"] == false)
            #expect(try await server.database.psql("SELECT raison_sociale, version FROM organisme") == "Cap Savoirs|2")
        }
    }

    @Test func `values that the organisme cannot have are refused at their places`() async throws {
        try await Self.with { _, rows in
            let id = try await rows.client.call("organisme.ouvrir")["id"] ?? .null
            let hosts = [
                "https://discord.com@example.org/api/webhooks/1/x", "https://discord.com/api/webhooks/1/x#y",
                "https://discord.com/api/channels/1/x", "discord.com/api/webhooks/1/x",
            ]
            let wrong: [(String, JSONValue)] =
                [("siret", "732 829 320 00075"), ("nda", "1"), ("email", "x"), ("conflits_interdits", "oui")]
                + hosts.map { ("discord_webhook", .string($0)) }
            for (column, value) in wrong {
                let error = try await rows.client.refusal(
                    "organisme.update", ["id": id, "values": .merging([(column, value)])])
                #expect(error.at("/data/errors/0/path") == .string("/values/\(column)"), "\(error.json)")
            }
        }
    }

    @Test func `the webhook is written by administrators and read by no call`() async throws {
        try await Self.with { server, rows in
            let address = "https://discord.com/api/webhooks/123456789/tres-secret"
            let updated = try await Self.set(["discord_webhook": .string(address)], rows.client)
            #expect(updated["discord_webhook"] == nil && updated["version"] == 2)
            #expect(try await server.database.psql("SELECT discord_webhook FROM organisme") == address)
            let id = updated["id"] ?? .null
            for (method, params) in [
                ("organisme.ouvrir", [:]), ("organisme.list", [:]), ("organisme.history", ["id": id]),
                ("journal.list", [:]), ("changes.list", [:]), ("organisme.aggregate", ["select": "{ count }"]),
            ] as [(String, JSONValue)] {
                let answer = try await rows.client.call(method, params)
                #expect(!answer.json.contains("tres-secret"), "\(method): \(answer.json)")
            }
            let error = try await rows.client.refusal("organisme.get", ["id": id, "select": "{ discord_webhook }"])
            #expect(error.at("/data/errors/0/code") == "unknown", "\(error.json)")
        }
    }

    @Test func `the logo is a PNG or SVG that an administrator gives and every account sees`() async throws {
        try await Self.with { server, rows in
            let user = try await server.client(TestServer.user)
            @Sendable func put(_ text: String, _ client: RPCClient) async throws -> JSONValue {
                let response = try await client.http.request(
                    "PUT", "/files", headers: [("Authorization", "Bearer \(client.token ?? "")")],
                    body: Array(text.utf8))
                return try JSONValue.parse(response.body)["id"] ?? .null
            }
            @Sendable func get(_ id: JSONValue) async throws -> HTTPConnection.Response {
                try await user.http.request(
                    "GET", "/files/\(id.json)", headers: [("Authorization", "Bearer \(user.token ?? "")")])
            }
            let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect width=\"3\" height=\"4\"/></svg>"
            let logo = try await put(svg, rows.client)
            #expect(try await get(logo).status == 404)
            let updated = try await Self.set(["logo": logo], rows.client)
            #expect(updated["logo"] == logo)
            let shown = try await get(logo)
            #expect(shown.status == 200 && shown.body == Array(svg.utf8))
            let link = try await user.call("files.lien", ["id": logo])
            let linked = try await server.open(link)
            #expect(linked.status == 200 && linked.body == Array(svg.utf8))
            #expect(linked.headers["content-type"] == "image/svg+xml")
            #expect(linked.headers["content-security-policy"]?.contains("sandbox") == true)
            let pdf = try await put("%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n", rows.client)
            let error = try await rows.client.refusal(
                "organisme.update", ["id": updated["id"] ?? .null, "values": ["logo": pdf]])
            #expect(error.at("/data/errors/0/path") == "/values/logo", "\(error.json)")
            #expect(error.at("/data/errors/0/code") == "format", "\(error.json)")
        }
    }

    @Test func `mentions that no document has room for are refused, and stay where an earlier version took them`()
        async throws
    {
        try await Self.with { server, rows in
            let id = try await rows.client.call("organisme.ouvrir")["id"] ?? .null
            func text(_ count: Int) -> JSONValue { .string(String(repeating: "é", count: count)) }
            _ = try await Self.set(["mentions": text(320)], rows.client)
            let refusal = try await rows.client.refusal(
                "organisme.update", ["id": id, "values": ["mentions": text(321)]])
            #expect(refusal.at("/data/errors/0/path") == "/values/mentions", "\(refusal.json)")
            let message = refusal.at("/data/errors/0/message").text ?? ""
            #expect(
                message.contains("320 caractères") && message.contains("clauses des conventions")
                    && message.contains("contrats de sous-traitance"), "\(message)")
            for end in ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}", "\u{B}", "\u{C}"] {
                func lines(_ count: Int) -> JSONValue {
                    .string(Array(repeating: "a", count: count).joined(separator: end))
                }
                _ = try await Self.set(["mentions": lines(6)], rows.client)
                let refusal = try await rows.client.refusal(
                    "organisme.update", ["id": id, "values": ["mentions": lines(7)]])
                #expect(refusal.at("/data/errors/0/path") == "/values/mentions", "\(refusal.json)")
                #expect(refusal.at("/data/errors/0/message").text?.contains("six lignes") == true, "\(refusal.json)")
            }
            try await server.database.psql(
                "SET session_replication_role = replica; UPDATE organisme SET mentions = repeat('a', 500)")
            let old = JSONValue.string(String(repeating: "a", count: 500))
            let kept = try await Self.set(["signataire": "Claire Fontaine", "mentions": old], rows.client)
            #expect(kept["signataire"] == "Claire Fontaine")
            #expect(try await server.database.psql("SELECT length(mentions) FROM organisme") == "500")
            let again = try await rows.client.refusal(
                "organisme.update", ["id": id, "values": ["mentions": text(400)]])
            #expect(again.at("/data/errors/0/path") == "/values/mentions", "\(again.json)")
        }
    }

    @Test func `texts longer than documents have room for are refused, and what the database has stays`()
        async throws
    {
        try await Self.with { server, rows in
            func text(_ count: Int) -> JSONValue { .string(String(repeating: "é", count: count)) }
            let id = try await rows.client.call("organisme.ouvrir")["id"] ?? .null
            for (table, id, column, most) in [
                ("organisme", id, "clauses_convention", 20_000), ("organisme", id, "clauses_sous_traitance", 20_000),
                ("organisme", id, "reglement", 20_000),
            ] {
                func update(_ value: JSONValue) -> JSONValue { ["id": id, "values": .merging([(column, value)])] }
                _ = try await rows.client.call("\(table).update", update(text(most)))
                let refusal = try await rows.client.refusal("\(table).update", update(text(most + 1)))
                #expect(refusal.at("/data/errors/0/path") == .string("/values/\(column)"), "\(refusal.json)")
                try await server.database.psql(
                    """
                    SET session_replication_role = replica;
                    UPDATE \(table) SET \(column) = repeat('a', \(most + 1))
                    """)
                let read = try await rows.client.call("\(table).get", ["id": id])
                #expect(read[column]?.text?.count == most + 1)
            }
            // Another value of a record with a longer text is written.
            let kept = try await Self.set(["rcs": "Tours B 1"], rows.client)
            #expect(kept["reglement"]?.text?.count == 20_001)
        }
    }

    /// mends.md, 14: no contract loses clauses.
    @Test func `what mentions said before there were clauses is what both contracts say`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let file = try String(
            contentsOf: URL(filePath: try ProjectFiles.root() + "/migrations/crm/0020_contract_clauses.sql"),
            encoding: .utf8)
        let stored = try await database.psql(
            """
            ALTER TABLE organisme DROP COLUMN clauses_convention CASCADE, DROP COLUMN clauses_sous_traitance CASCADE;
            INSERT INTO organisme (mentions) VALUES ('Toute annulation est due.');
            \(file)
            SELECT mentions, clauses_convention, clauses_sous_traitance FROM organisme;
            """)
        let line = "Toute annulation est due."
        #expect(stored.hasSuffix("\(line)|\(line)|\(line)"), "\(stored)")
        try await database.drop()
    }

    // MARK: Overlaps

    private static func values(_ formateur: Int, _ debut: String, _ fin: String, date: String = "2026-01-12")
        -> JSONValue
    {
        .merging(
            Fixtures.session(
                module: "Module",
                [
                    ("formateur_id", JSONValue(formateur)), ("date", .string(date)), ("debut", .string(debut)),
                    ("fin", .string(fin)),
                ]))
    }

    @Test func `overlaps are allowed until the organisme forbids them, and touching ends are no overlap`() async throws
    {
        try await Self.with { server, rows in
            let user = try await server.client(TestServer.user)
            let formateur = try await rows.formateur()
            let before = try await user.call("sessions.create", ["values": Self.values(formateur, "09:00", "12:00")])
            _ = try await user.call("sessions.create", ["values": Self.values(formateur, "11:00", "13:00")])
            _ = try await Self.set(["conflits_interdits": true], rows.client)
            // What overlaps already stays, and can be changed but for its time.
            let kept = try await user.call(
                "sessions.update", ["id": before["id"] ?? .null, "values": ["lieu": "Lyon", "debut": "09:00"]])
            #expect(kept["lieu"] == "Lyon")
            let free = try await user.call("sessions.create", ["values": Self.values(formateur, "13:00", "14:00")])
            let overlapping = Self.values(formateur, "13:30", "15:00")
            let created = try await user.refusal("sessions.create", ["values": overlapping])
            #expect(created["code"] == 409)
            let facts: [(String, JSONValue)] = [
                ("code", "conflict"), ("reason", "overlap"), ("session", free["id"] ?? .null), ("module", "Module"),
                ("date", "2026-01-12"), ("debut", "13:00:00"), ("fin", "14:00:00"),
            ]
            for (name, value) in facts { #expect(created["data"]?[name] == value, "\(created.json)") }
            let other = try await rows.formateur()
            let moved = try await user.call("sessions.create", ["values": Self.values(other, "13:30", "15:00")])
            let id = moved["id"] ?? .null
            let calls: [(String, JSONValue)] = [
                ("sessions.update", ["id": id, "values": ["formateur_id": JSONValue(formateur)]]),
                ("sessions.duplicate", ["id": id, "values": ["formateur_id": JSONValue(formateur)]]),
                ("sessions.decaler", ["id": before["id"] ?? .null, "debut": "13:15", "fin": "13:45"]),
                ("sessions.repeter", ["id": free["id"] ?? .null, "dates": ["2026-03-01", "2026-01-12"]]),
                (
                    "transaction.run",
                    ["calls": [["method": "sessions.create", "params": ["values": overlapping]]]]
                ),
                ("sessions.create", ["values": overlapping, "dry_run": true]),
            ]
            for (method, params) in calls {
                let error = try await user.refusal(method, params)
                #expect(error["code"] == 409 && error.at("/data/reason") == "overlap", "\(method): \(error.json)")
            }
            let merge = try await rows.client.refusal(
                "formateurs.fusionner", ["garde": JSONValue(formateur), "absorbe": JSONValue(other)])
            #expect(merge.at("/data/reason") == "overlap", "\(merge.json)")
            // Nothing of a refused call stays, and psql has the same rule.
            #expect(try await server.database.psql("SELECT count(*) FROM sessions") == "4")
            let sql = """
                INSERT INTO sessions (module, date, debut, fin, modalite, formateur_id)
                VALUES ('x', '2026-01-12', '13:59', '14:30', 'P', \(formateur))
                """
            #expect((try? await server.database.psql(sql)) == nil)
            _ = try await user.call("sessions.create", ["values": Self.values(formateur, "14:00", "15:00")])
            _ = try await Self.set(["conflits_interdits": false], rows.client)
            _ = try await user.call("sessions.create", ["values": overlapping])
        }
    }

    @Test func `of overlapping sessions that are created, moved and repeated at once one is kept`() async throws {
        try await Self.with { server, rows in
            _ = try await Self.set(["conflits_interdits": true], rows.client)
            let clients = [try await server.client(), try await server.client(TestServer.user)]
            for round in 0..<8 {
                let formateur = try await rows.formateur()
                let date = "2027-01-\(10 + round)"
                let elsewhere = try await rows.client.call(
                    "sessions.create", ["values": Self.values(formateur, "09:00", "12:00", date: "2028-01-01")])
                let id = elsewhere["id"] ?? .null
                let creation: JSONValue = ["values": Self.values(formateur, "10:00", "11:00", date: date)]
                let rival: (String, JSONValue) = [
                    ("sessions.create", creation), ("sessions.decaler", ["id": id, "date": .string(date)]),
                    ("sessions.repeter", ["id": id, "dates": [.string(date)]]),
                ][round % 3]
                async let first = clients[0].response("sessions.create", creation)
                async let second = clients[1].response(rival.0, rival.1)
                let answers = [try await first, try await second]
                #expect(answers.filter { $0["result"] != nil }.count == 1, "\(answers.map(\.json))")
                let reasons = answers.compactMap { $0.at("/error/data/reason").text }
                #expect(reasons == ["overlap"], "\(answers.map(\.json))")
            }
        }
    }

    @Test func `a session waits for the transaction of another of its trainer, and sees it when it has ended`()
        async throws
    {
        try await Self.with { server, rows in
            _ = try await Self.set(["conflits_interdits": true], rows.client)
            let (one, other) = (try await rows.formateur(), try await rows.formateur())
            let insertion = """
                INSERT INTO sessions (module, date, debut, fin, modalite, formateur_id)
                VALUES ('x', '2026-01-12', '09:00', '12:00', 'P', \(one))
                """
            let holder = Task {
                try await server.database.psql(
                    "SET application_name = 'holder'; BEGIN; \(insertion); SELECT pg_sleep(0.8); COMMIT")
            }
            try await eventually {
                try await server.database.psql(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder' AND wait_event = 'PgSleep'"
                )
                    == "1"
            }
            // Another trainer's session does not wait.
            let start = ContinuousClock.now
            _ = try await rows.client.call("sessions.create", ["values": Self.values(other, "10:00", "11:00")])
            #expect(ContinuousClock.now - start < .milliseconds(600))
            let error = try await rows.client.refusal("sessions.create", ["values": Self.values(one, "11:00", "13:00")])
            #expect(error.at("/data/reason") == "overlap", "\(error.json)")
            _ = try await holder.value
        }
    }
}
