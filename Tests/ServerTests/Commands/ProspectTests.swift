import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// `prospects.avancer`, `prospects.convertir` and `relances_du_jour.list`.
@Suite struct ProspectTests {
    private func prospect(_ rows: Fixtures, _ values: [(String, JSONValue)] = []) async throws -> Int {
        try await rows.create("prospects", [("raison_sociale", .string("Prospect \(rows.mark)"))] + values)
    }

    private func advance(
        _ id: Int, _ etape: String, _ client: RPCClient, _ further: [(String, JSONValue)] = []
    ) async throws -> JSONValue {
        try await client.response(
            "prospects.avancer",
            .merging(
                [("id", JSONValue(id)), ("etape", .string(etape)), ("select", "{ etape motif version }")] + further))
    }

    private func etape(_ id: Int, _ rows: Fixtures) async throws -> String? {
        try await rows.client.call("prospects.get", ["id": JSONValue(id), "select": "{ etape }"])["etape"]?.text
    }

    @Test func `a new prospect is to be contacted, and belongs to the account that creates it`() async throws {
        let rows = try await Fixtures()
        let user = try await TestServer.running().client(TestServer.user)
        let account = try await user.call("auth.me")["id"] ?? .null
        let values = JSONValue.merging([("raison_sociale", .string(rows.mark)), ("telephone", "06 12 34 56 78")])
        let select: JSONValue = "{ etape responsable_id client_id telephone_uri relances { id } }"
        let own = try await user.call("prospects.create", ["values": values, "select": select])
        #expect(
            own == [
                "client_id": .null, "etape": "a_contacter", "relances": [], "responsable_id": account,
                "telephone_uri": "tel:+33612345678",
            ])
        let found = try await user.call(
            "prospects.list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
        #expect(found["total"] == 1)
        // Administrators read the account, too.
        let id = try await prospect(rows)
        let read = try await rows.client.call(
            "prospects.get", ["id": JSONValue(id), "select": "{ responsable { email } }"])
        #expect(read.at("/responsable/email") == .string(TestServer.admin))
        for (name, value) in [("etape", "gagne"), ("motif", "x"), ("client_id", 1)] as [(String, JSONValue)] {
            let written = JSONValue.merging([("raison_sociale", .string(rows.mark)), (name, value)])
            for error in [
                try await rows.client.refusal("prospects.create", ["values": written]),
                try await rows.client.refusal("prospects.update", ["id": JSONValue(id), "values": written]),
            ] {
                #expect(error.at("/data/errors/0/path") == .string("/values/\(name)"), "\(error.json)")
                #expect(error.at("/data/errors/0/code") == "read_only")
            }
        }
    }

    // MARK: Stages

    @Test func `a prospect moves along the documented ways, and every other one is a conflict with the next stages`()
        async throws
    {
        let rows = try await Fixtures()
        // The way forward is the first.
        let ways: [String: [JSONValue]] = [
            "a_contacter": ["contacte", "perdu"], "contacte": ["proposition", "perdu"],
            "proposition": ["gagne", "contacte", "perdu"], "gagne": ["proposition", "perdu"],
            "perdu": ["a_contacter", "contacte"],
        ]
        let paths = [
            "a_contacter": [], "contacte": ["contacte"], "proposition": ["contacte", "proposition"],
            "gagne": ["contacte", "proposition", "gagne"], "perdu": ["perdu"],
        ]
        let reason: [(String, JSONValue)] = [("motif", "Trop cher")]
        for (from, path) in paths {
            for to in ways.keys {
                let id = try await prospect(rows)
                for step in path { _ = try await advance(id, step, rows.client, reason) }
                #expect(try await etape(id, rows) == from)
                let shown = try await rows.client.call(
                    "prospects.get", ["id": JSONValue(id), "select": "{ etapes_suivantes }"])
                #expect(shown.at("/etapes_suivantes").array == ways[from])
                let answer = try await advance(id, to, rows.client, reason)
                if ways[from]?.contains(.string(to)) == true {
                    #expect(answer.at("/result/etape") == .string(to), "\(from) to \(to): \(answer.json)")
                    #expect(answer.at("/result/motif") == "Trop cher")
                } else {
                    #expect(answer.at("/error/code") == 409, "\(from) to \(to): \(answer.json)")
                    #expect(answer.at("/error/data/reason") == "etape")
                    #expect(answer.at("/error/data/etape") == .string(from))
                    #expect(answer.at("/error/data/suivantes").array == ways[from])
                    #expect(try await etape(id, rows) == from)
                }
            }
        }
    }

    @Test func `bad input is refused at its place`() async throws {
        let rows = try await Fixtures()
        let id = try await prospect(rows)
        let cases: [(String, [(String, JSONValue)], String, String)] = [
            ("perdu", [], "/motif", "rule"), ("perdu", [("motif", " ")], "/motif", "rule"),
            ("gagné", [], "/etape", "format"), ("contacte", [("motif", 1)], "/motif", "type"),
            ("contacte", [("motif", .string(String(repeating: "x", count: 501)))], "/motif", "too_long"),
        ]
        for (to, further, path, code) in cases {
            let error = try await advance(id, to, rows.client, further)["error"] ?? .null
            #expect(error["code"] == -32602, "\(error.json)")
            #expect(error.at("/data/errors/0/path") == .string(path), "\(error.json)")
            #expect(error.at("/data/errors/0/code") == .string(code), "\(error.json)")
        }
        #expect(try await advance(999_999_999, "contacte", rows.client).at("/error/code") == 404)
        #expect(try await etape(id, rows) == "a_contacter")
    }

    @Test func `Postgres refuses another way by the name of the rule, whoever writes`() async throws {
        let rows = try await Fixtures()
        let id = try await prospect(rows)
        let database = try await TestServer.running().database
        let found = try await database.psql(
            """
            CREATE FUNCTION pg_temp.refused(sql text) RETURNS text LANGUAGE plpgsql AS $$
            DECLARE name text;
            BEGIN
                EXECUTE sql;
                RETURN 'done';
            EXCEPTION WHEN insufficient_privilege THEN RETURN 'denied';
            WHEN OTHERS THEN GET STACKED DIAGNOSTICS name = CONSTRAINT_NAME; RETURN name;
            END $$;
            SELECT pg_temp.refused('UPDATE prospects SET etape = ''gagne'' WHERE id = \(id)');
            SELECT pg_temp.refused('UPDATE prospects SET etape = ''perdu'' WHERE id = \(id)');
            SELECT pg_temp.refused('INSERT INTO prospects (raison_sociale, etape) VALUES (''x'', ''gagne'')');
            SET ROLE learntrack_user;
            SELECT pg_temp.refused('UPDATE prospects SET etape = ''contacte'' WHERE id = \(id)');
            SELECT pg_temp.refused('DELETE FROM prospects WHERE id = \(id)');
            """)
        #expect(
            found.split(separator: "\n").filter { !["CREATE FUNCTION", "SET"].contains($0) } == [
                "prospects_etape_suivante", "prospects_motif", "prospects_etape_suivante", "denied", "denied",
            ])
        #expect(try await etape(id, rows) == "a_contacter")
    }

    @Test func `of two moves to one stage at once one happens`() async throws {
        let rows = try await Fixtures()
        let user = try await TestServer.running().client(TestServer.user)
        for _ in 0..<6 {
            let id = try await prospect(rows)
            async let one = advance(id, "contacte", rows.client)
            async let other = advance(id, "contacte", user)
            let answers = [try await one, try await other]
            #expect(answers.compactMap { $0["result"] }.count == 1, "\(answers.map(\.json))")
            #expect(answers.compactMap { $0.at("/error/data/etape").text } == ["contacte"])
        }
    }

    // MARK: Conversion

    @Test func `a prospect becomes a client with its values and those given, once`() async throws {
        let rows = try await Fixtures()
        let user = try await TestServer.running().client(TestServer.user)
        let id = try await prospect(rows, [("ville", "Lyon"), ("email", "p@test.example"), ("nom_contact", "Ève")])
        let converted = try await user.call(
            "prospects.convertir",
            [
                "id": JSONValue(id), "values": ["ville": "Nice", "siret": "732 829 320 00074"],
                "select": "{ etape client { id raison_sociale ville email nom_contact siret } }",
            ])
        #expect(converted["etape"] == "gagne")
        #expect(converted.at("/client/raison_sociale") == .string("Prospect \(rows.mark)"))
        #expect(converted.at("/client/ville") == "Nice")
        #expect(converted.at("/client/email") == "p@test.example")
        #expect(converted.at("/client/nom_contact") == "Ève")
        #expect(converted.at("/client/siret") == "732 829 320 00074")
        let client = converted.at("/client/id")
        let again = try await user.refusal("prospects.convertir", ["id": JSONValue(id)])
        #expect(again["code"] == 409)
        #expect(again.at("/data/reason") == "converti")
        #expect(again.at("/data/client_id") == client)
        // A prospect that has become a client stays won.
        let back = try await advance(id, "proposition", user)
        #expect(back.at("/error/data/suivantes") == [], "\(back.json)")
        let history = try await rows.client.call(
            "clients.history", ["id": client, "select": "{ operation actor }"])
        #expect(history.at("/items/0/actor/email") == .string(TestServer.user))
        let changes = try await rows.client.call(
            "prospects.history", ["id": JSONValue(id), "select": "{ operation after }"])
        #expect(changes.at("/items").array.compactMap { $0["operation"]?.text } == ["update", "create"])
        #expect(changes.at("/items/0/after/client_id") == client)
    }

    @Test func `a prospect joins a client that exists`() async throws {
        let rows = try await Fixtures()
        let (id, client) = (try await prospect(rows), try await rows.client())
        let params: [(String, JSONValue)] = [("id", JSONValue(id)), ("client_id", JSONValue(client))]
        let select: (String, JSONValue) = ("select", "{ client_id }")
        let cases: [([(String, JSONValue)], String)] = [
            (params + [("values", [:])], "/client_id"),
            ([params[0], ("values", ["siret": "1"])], "/values/siret"),
            ([params[0], ("values", ["raison_sociale": .null])], "/values/raison_sociale"),
        ]
        for (given, path) in cases {
            let error = try await rows.client.refusal("prospects.convertir", .merging(given))
            #expect(error["code"] == -32602, "\(error.json)")
            #expect(error.at("/data/errors/0/path") == .string(path), "\(error.json)")
        }
        let missing = try await rows.client.refusal(
            "prospects.convertir", .merging(params + [("client_id", 999_999_999)]))
        #expect(missing["code"] == 404 && missing.at("/data/path") == "/client_id", "\(missing.json)")
        let tried = try await rows.client.call("prospects.convertir", .merging(params + [select, ("dry_run", true)]))
        #expect(tried["client_id"] == JSONValue(client))
        #expect(try await etape(id, rows) == "a_contacter")
        let joined = try await rows.client.call("prospects.convertir", .merging(params + [select]))
        #expect(joined["client_id"] == JSONValue(client))
        let lost = try await prospect(rows)
        _ = try await advance(lost, "perdu", rows.client, [("motif", "Sans suite")])
        let error = try await rows.client.refusal("prospects.convertir", ["id": JSONValue(lost)])
        #expect(error.at("/data/reason") == "etape")
        #expect(try await rows.client.refusal("prospects.convertir", ["id": 999_999_999])["code"] == 404)
        // The client cannot be deleted while the prospect refers to it.
        #expect(try await rows.client.response("clients.delete", ["id": JSONValue(client)])["error"] != nil)
    }

    @Test func `the prospect of a client that another one absorbs leads to the other one`() async throws {
        let rows = try await Fixtures()
        let id = try await prospect(rows)
        let converted = try await rows.client.call(
            "prospects.convertir", ["id": JSONValue(id), "select": "{ client_id }"])
        let kept = try await rows.client()
        _ = try await rows.client.call(
            "clients.fusionner", ["garde": JSONValue(kept), "absorbe": converted["client_id"] ?? .null])
        let found = try await rows.client.call("prospects.get", ["id": JSONValue(id), "select": "{ client_id etape }"])
        #expect(found == ["client_id": JSONValue(kept), "etape": "gagne"])
    }

    @Test func `a client that another one has absorbed is not joined, and the error names the other one`()
        async throws
    {
        let rows = try await Fixtures()
        let (id, kept, gone) = (try await prospect(rows), try await rows.client(), try await rows.client())
        _ = try await rows.client.call(
            "clients.fusionner", ["garde": JSONValue(kept), "absorbe": JSONValue(gone)])
        let error = try await rows.client.refusal(
            "prospects.convertir", ["id": JSONValue(id), "client_id": JSONValue(gone)])
        #expect(error["code"] == 404)
        #expect(error.at("/data/path") == "/client_id")
        #expect(error.at("/data/fusionne_dans") == JSONValue(kept), "\(error.json)")
        #expect(try await etape(id, rows) == "a_contacter")
    }

    @Test func `of two conversions at once one happens, and one client is there`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        for _ in 0..<6 {
            let id = try await prospect(rows)
            let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for _ in 0..<4 {
                    let client = try await server.client(TestServer.user)
                    group.addTask {
                        try await client.response(
                            "prospects.convertir", ["id": JSONValue(id), "select": "{ client_id }"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let clients = answers.compactMap { $0.at("/result/client_id").int }
            #expect(clients.count == 1, "\(answers.map(\.json))")
            #expect(answers.compactMap { $0.at("/error/data/client_id").int } == Array(repeating: clients[0], count: 3))
        }
        let made = try await rows.client.call(
            "clients.list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
        #expect(made["total"] == 6)
    }

    // MARK: Reminders

    private func reminders(of prospect: Int, _ client: RPCClient) async throws -> [JSONValue] {
        try await client.call(
            "relances.list",
            [
                "where": ["prospect_id": JSONValue(prospect)], "order_by": ["date", "id"],
                "select": "{ id date faite note }",
            ]
        ).at("/items").array
    }

    @Test
    func `the next reminder of a prospect is the first of its list that is not done, whichever of them is written`()
        async throws
    {
        let rows = try await Fixtures()
        let client = rows.client
        let id = try await prospect(rows, [("prochaine_relance", "2026-03-10")])
        func next() async throws -> String? {
            try await client.call("prospects.get", ["id": JSONValue(id)])["prochaine_relance"]?.text
        }
        func open() async throws -> [String?] {
            try await reminders(of: id, client).filter { $0["faite"] == false }.map { $0["date"]?.text }
        }
        func write(_ day: JSONValue) async throws {
            let answer = try await client.call(
                "prospects.update", ["id": JSONValue(id), "values": ["prochaine_relance": day]])
            #expect(answer["prochaine_relance"] == day)
        }
        #expect(try await open() == ["2026-03-10"])
        let visit = try await rows.create(
            "relances", [("prospect_id", JSONValue(id)), ("date", "2026-03-05"), ("note", "Visite")])
        #expect(try await next() == "2026-03-05")
        // Ticking, and taking the tick back.
        _ = try await client.call("relances.update", ["id": JSONValue(visit), "values": ["faite": true]])
        #expect(try await next() == "2026-03-10")
        _ = try await client.call("relances.update", ["id": JSONValue(visit), "values": ["faite": false]])
        #expect(try await next() == "2026-03-05")
        // A later day: what was before it waits. An earlier one: the next one moves.
        try await write("2026-03-20")
        #expect(try await open() == ["2026-03-20", "2026-03-20"])
        try await write("2026-03-15")
        #expect(try await open() == ["2026-03-15", "2026-03-20"])
        try await write(nil)
        #expect(try await open() == [])
        #expect(try await reminders(of: id, client).count == 2)
        try await write("2026-04-01")
        #expect(try await open() == ["2026-04-01"])
        // A deleted one, and one that goes to another prospect.
        let moved = try await rows.create("relances", [("prospect_id", JSONValue(id)), ("date", "2026-03-30")])
        let other = try await prospect(rows, [("raison_sociale", .string("Autre \(rows.mark)"))])
        _ = try await client.call(
            "relances.update", ["id": JSONValue(moved), "values": ["prospect_id": JSONValue(other)]])
        #expect(try await next() == "2026-04-01")
        let others = try await client.call("prospects.get", ["id": JSONValue(other)])
        #expect(others["prochaine_relance"] == "2026-03-30")
        _ = try await client.call("relances.delete", ["id": JSONValue(moved)])
        #expect(try await client.call("prospects.get", ["id": JSONValue(other)])["prochaine_relance"] == .null)
        // A reminder without a note does not keep its prospect, one with a note does.
        try await write("2026-05-01")
        let kept = try await client.refusal("prospects.delete", ["id": JSONValue(id)])
        #expect(kept.at("/data/reason") == "referenced")
        let plain = try await prospect(rows, [("prochaine_relance", "2026-03-10")])
        #expect(
            try await client.call("prospects.delete", ["id": JSONValue(plain)])["deleted"] == true)
    }

    @Test func `the migration makes reminders of the days that are stored, and loses none`() async throws {
        let path = try ProjectFiles.migrationsFolder() + "/crm/0031_next_reminder.sql"
        let file = try String(contentsOfFile: path, encoding: .utf8)
        try await TestDatabase.with(migrated: true) { database in
            try await database.psql(
                """
                DROP FUNCTION prospects_suivre_relances(), relances_suivre_prospect(), prospects_sans_relances() CASCADE;
                INSERT INTO prospects (raison_sociale, prochaine_relance)
                VALUES ('seule', '2026-03-01'), ('même', '2026-03-01'), ('après', '2026-03-05'), ('sans', NULL), ('rien', NULL),
                    ('faite', '2026-03-01');
                INSERT INTO relances (prospect_id, date, faite)
                SELECT p.id, r.date::date, r.faite FROM prospects AS p JOIN (
                    VALUES ('même', '2026-03-01', false), ('après', '2026-03-03', false), ('sans', '2026-03-07', false),
                        ('sans', '2026-03-08', false), ('faite', '2026-03-01', true)
                ) AS r (nom, date, faite) ON r.nom = p.raison_sociale
                """)
            try await database.psql("BEGIN;\n\(file)\nCOMMIT;")
            let after = try await database.psql(
                """
                SELECT p.raison_sociale, p.prochaine_relance, array_agg(r.date ORDER BY r.date) FILTER (WHERE NOT r.faite)
                FROM prospects AS p LEFT JOIN relances AS r ON r.prospect_id = p.id GROUP BY p.company_id, p.id ORDER BY p.id
                """)
            #expect(
                after == """
                    seule|2026-03-01|{2026-03-01}
                    même|2026-03-01|{2026-03-01}
                    après|2026-03-03|{2026-03-03,2026-03-05}
                    sans|2026-03-07|{2026-03-07,2026-03-08}
                    rien||
                    faite|2026-03-01|{2026-03-01}
                    """)
        }
    }

    @Test func `two reminders of one prospect at once leave it the day of the earlier one`() async throws {
        let rows = try await Fixtures()
        let id = try await prospect(rows, [])
        for round in 1...5 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for day in 0..<4 {
                    group.addTask {
                        _ = try await rows.client.call(
                            "relances.create",
                            [
                                "values": [
                                    "prospect_id": JSONValue(id), "date": .string("2026-0\(9 - round)-1\(day)"),
                                ]
                            ])
                    }
                }
                try await group.waitForAll()
            }
            let now = try await rows.client.call("prospects.get", ["id": JSONValue(id)])
            #expect(now["prochaine_relance"] == .string("2026-0\(9 - round)-10"))
        }
    }

    @Test func `what is due is listed until it is done, and the accounts that have something due get one row each`()
        async throws
    {
        let rows = try await Fixtures()
        let server = try await TestServer.running()
        let user = try await server.client(TestServer.user)
        let account = try await user.call("auth.me")["id"] ?? .null
        let dated = try await prospect(rows, [("prochaine_relance", "2026-03-02"), ("responsable_id", account)])
        let planned = try await prospect(rows, [("prochaine_relance", "2026-03-01"), ("responsable_id", account)])
        let later = try await rows.create(
            "relances", [("prospect_id", JSONValue(planned)), ("date", "2026-03-03"), ("canal", "email")])
        let lost = try await prospect(rows, [("prochaine_relance", "2026-03-02")])
        _ = try await advance(lost, "perdu", rows.client, [("motif", "Sans suite")])
        func due(_ day: String) async throws -> [[Int?]] {
            let answer = try await user.call(
                "relances_du_jour.list",
                [
                    "jour": .string(day), "where": ["prospect": ["raison_sociale": .string("Prospect \(rows.mark)")]],
                    "select": "{ prospect { id } relance { id } retard responsable_id }",
                ])
            let items = answer.at("/items").array
            #expect(items.allSatisfy { $0["responsable_id"] == account })
            return items.map { [$0.at("/prospect/id").int, $0.at("/relance/id").int, $0["retard"]?.int] }
        }
        #expect(try await due("2026-02-28") == [])
        // The day of a prospect is a reminder.
        let first = try await reminders(of: planned, rows.client)[0]["id"]?.int
        let only = try await reminders(of: dated, rows.client)[0]["id"]?.int
        #expect(try await due("2026-03-02") == [[planned, first, 1], [dated, only, 0]])
        #expect(try await due("2026-03-04") == [[planned, first, 3], [dated, only, 2], [planned, later, 1]])
        let mails = try await server.database.psql(
            """
            SET ROLE learntrack_crm_commands;
            SELECT count(*), min(relances) >= 2 FROM responsables_a_relancer('2026-03-04')
            WHERE responsable_id = \(account.int ?? 0)
            """)
        #expect(mails.split(separator: "\n").last == "1|t")
        _ = try await user.call("relances.update", ["id": JSONValue(later), "values": ["faite": true]])
        #expect(try await due("2026-03-04") == [[planned, first, 3], [dated, only, 2]])
        let error = try await user.refusal("relances_du_jour.list", ["jour": "2026-02-30"])
        #expect(error.at("/data/errors/0/path") == "/jour")
        #expect(try await user.refusal("relances.delete", ["id": JSONValue(later)])["code"] == 403)
        let unknown = try await user.refusal(
            "relances.create", ["values": ["prospect_id": 999_999_999, "date": "2026-01-01"]])
        #expect(unknown.at("/data/errors/0/code") == "not_found")
    }
}
