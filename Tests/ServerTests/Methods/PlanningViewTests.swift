import DomainKit
import Foundation
import JSON
import TestPostgres
import Testing

/// Views over HTTP: `conflits`, `formateurs_disponibles` and `indicateurs`, and the derived field `en_conflit`.
///
/// The session with the id 4 contains the first three. Sessions 2 and 3 touch, 5 and 6 have no trainer, 8 and 9 have the same
/// times, 10 and 11 overlap in another month.
@Suite struct PlanningViewTests {
    private static let rows = """
        INSERT INTO formateurs (prenom, nom, code_postal) VALUES
            ('Élodie', 'Dupré', '13001'), ('Marc', 'Petit', '75002'), ('Anne', 'Zola', '13008');
        INSERT INTO clients (raison_sociale) VALUES ('Société A'), ('Société B');
        INSERT INTO sessions (id, module, date, debut, fin, modalite, formateur_id) VALUES
            (1, 'a', '2026-11-02', '09:00', '12:00', 'P', 1), (2, 'b', '2026-11-02', '11:00', '13:00', 'P', 1),
            (3, 'c', '2026-11-02', '13:00', '14:00', 'P', 1), (4, 'd', '2026-11-02', '08:00', '18:00', 'P', 1),
            (5, 'e', '2026-11-02', '09:00', '12:00', 'P', NULL), (6, 'f', '2026-11-02', '09:00', '12:00', 'P', NULL),
            (7, 'Élevage Avancé', '2026-11-02', '09:00', '12:00', 'P', 2), (8, 'h', '2026-11-03', '09:00', '12:00', 'P', 2),
            (9, 'i', '2026-11-03', '09:00', '12:00', 'P', 2), (10, 'j', '2026-12-01', '09:00', '10:30', 'P', 2),
            (11, 'k', '2026-12-01', '10:00', '11:00', 'P', 2), (12, 'l', '2026-10-15', '09:00', '10:30', 'D', 3);
        UPDATE sessions SET tarif_client = 1000, tarif_sous_traitant = 300, client_id = 1 WHERE id = 1;
        UPDATE sessions SET tarif_client = 500 WHERE id = 7;
        UPDATE sessions SET tarif_client = 100, tarif_sous_traitant = 40, frais_rembourser = 10.50, client_id = 2
        WHERE id = 12;
        """
    private static let november: [(String, JSONValue)] = [("du", "2026-11-01"), ("au", "2026-11-30")]
    private static let pairs = "{ id minutes date session { id } autre { id } formateur { nom } }"

    private static func serving(_ body: (TestServer, RPCClient) async throws -> Void) async throws {
        let database = try await TestDatabase.create(migrated: true)
        try await database.psql(rows)
        let server = try await TestServer.start(database: database)
        try await body(server, try await server.client())
        #expect(try await server.stop() == 0)
    }

    private static func params(_ given: [(String, JSONValue)], _ more: [(String, JSONValue)] = []) -> JSONValue {
        .merging(given + more)
    }

    /// The pairs of an answer: the first session, the other one, the minutes.
    private static func pairs(in answer: JSONValue) -> [[Int?]] {
        (answer["items"] ?? .null).array.map { [$0.at("/session/id").int, $0.at("/autre/id").int, $0["minutes"]?.int] }
    }

    @Test func `each pair of overlapping sessions is a conflict once, and sessions that touch are none`() async throws {
        try await Self.serving { server, client in
            let select = ("select", JSONValue.string(Self.pairs))
            let answer = try await client.call("conflits.list", Self.params(Self.november, [select]))
            #expect(Self.pairs(in: answer) == [[4, 1, 180], [4, 2, 120], [4, 3, 60], [1, 2, 60], [8, 9, 180]])
            #expect(answer.at("/items/0/formateur/nom") == "Dupré")
            #expect(answer.at("/items/4/date") == "2026-11-03")
            let ids = (answer["items"] ?? .null).array.compactMap { $0["id"]?.int }
            #expect(Set(ids).count == 5)

            let day: [(String, JSONValue)] = [("du", "2026-12-01"), ("au", "2026-12-01")]
            let december = try await client.call("conflits.list", Self.params(day, [select]))
            #expect(Self.pairs(in: december) == [[10, 11, 30]])
            let plain = try await client.call("conflits.list", Self.params(day))
            #expect(plain.at("/items/0/session_id") == 10)

            // As Postgres has it, without the server.
            let rows = try await server.database.psql(
                """
                SELECT a.id, b.id FROM sessions a JOIN sessions b ON a.formateur_id = b.formateur_id AND a.date = b.date
                    AND a.id < b.id AND (a.date + a.debut, a.date + a.fin) OVERLAPS (b.date + b.debut, b.date + b.fin)
                ORDER BY a.id, b.id
                """)
            #expect(rows.split(separator: "\n") == ["1|2", "1|4", "2|4", "3|4", "8|9", "10|11"])
            let conflicting = try await client.call(
                "sessions.list",
                ["where": ["en_conflit": true], "order_by": ["id"], "select": "{ id en_conflit }"])
            let listed = (conflicting["items"] ?? .null).array
            #expect(listed.compactMap { $0["id"]?.int } == [1, 2, 3, 4, 8, 9, 10, 11])
            #expect(listed.allSatisfy { $0["en_conflit"] == true })
            let others = try await client.call(
                "sessions.list", ["where": ["en_conflit": false], "order_by": ["id"], "select": "{ id }"])
            #expect((others["items"] ?? .null).array.compactMap { $0["id"]?.int } == [5, 6, 7, 12])
        }
    }

    @Test func `the id of a pair is a number that JavaScript reads exactly, and stays the same`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let sessions = [1, 2, 150_000_000, 150_000_001, 6_000_000_000, 6_000_000_001, Int.max - 1]
        try await database.psql(
            """
            INSERT INTO formateurs (prenom, nom) VALUES ('Élodie', 'Dupré');
            INSERT INTO sessions (id, module, date, debut, fin, modalite, formateur_id)
            SELECT id, 'a', '2026-11-02', '09:00', '12:00', 'P', 1 FROM unnest(ARRAY\(sessions)) AS id
            """)
        let server = try await TestServer.start(database: database)
        let client = try await server.client()
        func ids() async throws -> [[Int]: Int] {
            let answer = try await client.call("conflits.list", Self.params(Self.november))
            return Dictionary(
                uniqueKeysWithValues: (answer["items"] ?? .null).array.compactMap { item in
                    guard let session = item["session_id"]?.int, let other = item["autre_id"]?.int,
                        let id = item["id"]?.int
                    else { return nil }
                    return ([session, other], id)
                })
        }
        let found = try await ids()
        #expect(found.count == 21)
        #expect(Set(found.values).count == 21)
        #expect(found.values.allSatisfy { (1..<1 << 53).contains($0) }, "\(found)")

        // Another pair, and the second session of one first.
        try await database.psql(
            "UPDATE sessions SET debut = '08:00' WHERE id = 2; DELETE FROM sessions WHERE id = 6000000001")
        let later = try await ids()
        #expect(later.count == 15)
        #expect(later[[2, 1]] == found[[1, 2]])
        #expect(later[[150_000_000, 6_000_000_000]] == found[[150_000_000, 6_000_000_000]])
        #expect(try await server.stop() == 0)
    }

    @Test func `a view has filters, orders, pages, counts and aggregates as a table has`() async throws {
        try await Self.serving { server, client in
            let select = ("select", JSONValue.string(Self.pairs))
            for order in [["date"], ["-minutes"], ["-session.debut", "minutes"], ["formateur.nom", "-id"]] {
                let ordered = ("order_by", JSONValue.array(order.map { .string($0) }))
                let whole = try await client.call("conflits.list", Self.params(Self.november, [select, ordered]))
                var found: [[Int?]] = []
                var after: JSONValue = .null
                repeat {
                    let page = try await client.call(
                        "conflits.list",
                        Self.params(Self.november, [select, ordered, ("first", 2), ("after", after), ("count", true)]))
                    #expect(page["total"] == 5)
                    found += Self.pairs(in: page)
                    after = page["has_next_page"] == true ? page["end_cursor"] ?? .null : .null
                } while !after.isNull && found.count < 20
                #expect(found == Self.pairs(in: whole), "\(order)")
                #expect(found.count == 5)
            }

            let page = try await client.call("conflits.list", Self.params(Self.november, [("first", 2)]))
            let otherPeriod = try await client.refusal(
                "conflits.list", ["du": "2026-11-02", "au": "2026-11-30", "after": page["end_cursor"] ?? .null])
            #expect(otherPeriod.at("/data/errors/0/path") == "/after")

            let petit = try await client.call(
                "conflits.list",
                Self.params(
                    Self.november, [select, ("where", ["formateur": ["nom": "Petit"], "minutes": ["gt": 60]])]))
            #expect(Self.pairs(in: petit) == [[8, 9, 180]])

            let numbers = try await client.call(
                "conflits.aggregate",
                Self.params(
                    Self.november, [("group_by", ["formateur_id"]), ("select", "{ count sum { minutes } }")]))
            let groups = (numbers["items"] ?? .null).array
            #expect(groups.map { $0["count"]?.int } == [4, 1])
            #expect(groups.map { $0.at("/sum/minutes").int } == [420, 180])
        }
    }

    @Test func `wrong parameters of a view are reported together, each at its place`() async throws {
        let client = try await TestServer.running().client()
        func paths(_ method: String, _ params: JSONValue) async throws -> [String] {
            let error = try await client.refusal(method, params)
            #expect(error["code"] == -32602)
            return error.at("/data/errors").array.compactMap { $0["path"]?.text }
        }
        for suffix in ["list", "aggregate"] {
            let more: [(String, JSONValue)] = suffix == "list" ? [] : [("select", "{ count }")]
            func found(_ given: [(String, JSONValue)]) async throws -> [String] {
                try await paths("conflits.\(suffix)", Self.params(given, more))
            }
            #expect(try await found([]) == ["/du", "/au"])
            #expect(try await found([("du", .null), ("au", "2026-01-01")]) == ["/du"])
            #expect(try await found([("du", "2026-02-30"), ("au", 3)]) == ["/du", "/au"])
            #expect(try await found([("du", "2026-01-02"), ("au", "2026-01-01")]) == ["/au"])
            #expect(
                try await found([("dus", 1), ("du", "2026-01-02"), ("au", "2026-01-01"), ("where", ["nope": 1])])
                    == ["/dus", "/au", "/where/nope"])
        }
        #expect(
            try await paths("formateurs_disponibles.list", ["date": "2026-01-01", "debut": "10:00", "fin": "09:00"])
                == ["/fin"])
        #expect(
            try await paths(
                "formateurs_disponibles.list",
                ["date": "2026-01-01", "debut": "10:00", "fin": "11:00", "code_postal": "?", "sauf_session": "x"])
                == ["/sauf_session", "/code_postal"])
        for method in ["conflits.get", "conflits.create", "conflits.history", "indicateurs.update"] {
            #expect(try await client.refusal(method, ["id": 1])["code"] == -32601, "\(method)")
        }
    }

    @Test func `Corsica has two departments, and overseas has three digits`() async throws {
        try await Self.serving { server, _ in
            let codes = try await server.database.psql(
                """
                SELECT string_agg(coalesce(public.departement(code), '-'), ' ') FROM unnest(ARRAY[
                    '20000', '20090', '20137', '20200', '20600', '97400', '98800', '75011', '1000', 'B-1000']) AS code
                """)
            #expect(codes == "2A 2A 2A 2B 2B 974 988 75 - -")
        }
    }

    @Test func `free trainers have no overlapping session, and come in the order of what suits best`() async throws {
        try await Self.serving { server, client in
            let select = """
                { formateur { nom } sessions_du_jour sessions_de_la_semaine derniere_session meme_departement a_deja_enseigne }
                """
            func trainers(_ given: [(String, JSONValue)]) async throws -> [JSONValue] {
                let answer = try await client.call(
                    "formateurs_disponibles.list", Self.params(given, [("select", .string(select))]))
                return (answer["items"] ?? .null).array
            }
            func names(_ given: [(String, JSONValue)]) async throws -> [String?] {
                try await trainers(given).map { $0.at("/formateur/nom").text }
            }
            let noon: [(String, JSONValue)] = [("date", "2026-11-02"), ("debut", "12:00"), ("fin", "13:00")]
            // Session 7 of Petit ends at noon. Dupré has sessions 2 and 4.
            #expect(try await names(noon) == ["Zola", "Petit"])
            let near = try await trainers(noon + [("code_postal", "13005")])
            #expect(near.map { $0["meme_departement"]?.bool } == [true, false])
            let taught = try await trainers(noon + [("code_postal", "13005"), ("module", "elevage AVANCE")])
            #expect(taught.map { $0.at("/formateur/nom").text } == ["Petit", "Zola"])
            #expect(taught.map { $0["a_deja_enseigne"]?.bool } == [true, false])
            #expect(taught.map { $0["sessions_du_jour"]?.int } == [1, 0])
            #expect(taught.map { $0["sessions_de_la_semaine"]?.int } == [3, 0])
            #expect(taught.map { $0["derniere_session"]?.text } == ["2026-11-02", "2026-10-15"])
            #expect(try await trainers(noon + [("module", "elevage")]).allSatisfy { $0["a_deja_enseigne"] == false })

            let end: [(String, JSONValue)] = [("date", "2026-12-01"), ("debut", "10:30"), ("fin", "11:00")]
            #expect(try await names(end) == ["Dupré", "Zola"])
            #expect(try await names(end + [("sauf_session", 11)]) == ["Dupré", "Zola", "Petit"])
        }
    }

    @Test func `the figures of a period stand beside those of the period before`() async throws {
        try await Self.serving { server, client in
            let user = try await server.client(TestServer.user)
            for client in [client, user] {
                let answer = try await client.call("indicateurs.list", Self.params(Self.november, [("count", true)]))
                #expect(answer["total"] == 1)
                let expected: [(String, Double, Double)] = [
                    ("nombre_sessions", 9, 1), ("heures", 31, 1.5), ("ca", 1_500, 100), ("cout", 300, 50.5),
                    ("marge", 1_200, 49.5), ("taux_marge", 80, 49.5), ("sans_formateur", 2, 0), ("sans_client", 8, 0),
                    ("a_distance", 0, 1), ("clients_actifs", 1, 1), ("formateurs_actifs", 2, 1),
                ]
                for (name, now, before) in expected {
                    #expect(answer.at("/items/0/\(name)").double == now, "\(name)")
                    #expect(answer.at("/items/0/precedent_\(name)").double == before, "precedent_\(name)")
                }
            }
            // A session without a price has no margin, in the figures as in the sums of sessions: its costs are in `cout`.
            _ = try await server.database.psql(
                """
                INSERT INTO sessions (id, module, date, debut, fin, modalite, tarif_sous_traitant, frais_rembourser)
                VALUES (99, 'Sans prix', '2026-11-20', '09:00', '10:00', 'D', 40, 2)
                """)
            let figures = try await client.call("indicateurs.list", Self.params(Self.november))
            let sums = try await client.call(
                "sessions.aggregate",
                [
                    "where": ["date": ["gte": "2026-11-01", "lte": "2026-11-30"]],
                    "select": "{ sum { marge tarif_client } }",
                ])
            #expect(figures.at("/items/0/cout").double == 342)
            #expect(figures.at("/items/0/marge").double == 1_200)
            #expect(figures.at("/items/0/taux_marge").double == 80)
            #expect(sums.at("/items/0/sum/marge").double == 1_200)
            _ = try await server.database.psql("DELETE FROM sessions WHERE module = 'Sans prix'")
            // A period that begins with the first year has nothing before it.
            let all = try await client.call("indicateurs.list", ["du": "0001-01-01", "au": "9999-12-31"])
            #expect(all.at("/items/0/nombre_sessions") == 12)
            #expect(all.at("/items/0/precedent_nombre_sessions") == 0)
            #expect(all.at("/items/0/precedent_taux_marge").isNull)
        }
    }

    @Test func `views are for both roles, and for signed-in callers only`() async throws {
        let server = try await TestServer.running()
        for email in [TestServer.admin, TestServer.user] {
            let client = try await server.client(email)
            _ = try await client.call("conflits.list", Self.params(Self.november))
            _ = try await client.call(
                "formateurs_disponibles.list", ["date": "2026-11-02", "debut": "12:00", "fin": "13:00"])
        }
        for name in ["conflits", "formateurs_disponibles", "indicateurs"] {
            #expect(try await server.client(nil).refusal("\(name).list", [:])["code"] == 401)
        }
        // The role that checks passwords has no right to the functions.
        let rights = try await server.database.psql(
            """
            SELECT p.proname, r.rolname FROM pg_proc p CROSS JOIN pg_roles r
            WHERE p.proname IN ('conflits', 'formateurs_disponibles', 'indicateurs')
                AND r.rolname IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth')
                AND has_function_privilege(r.oid, p.oid, 'EXECUTE')
            ORDER BY 1, 2
            """
        ).split(separator: "\n")
        #expect(
            rights == [
                "conflits|learntrack_admin", "conflits|learntrack_user", "formateurs_disponibles|learntrack_admin",
                "formateurs_disponibles|learntrack_user", "indicateurs|learntrack_admin", "indicateurs|learntrack_user",
            ])
    }
}
