import Foundation
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// The searchable text of sessions, which holds names of other tables.
@Suite struct SearchTextTests {
    /// The sessions with a text other than the one that their columns and the present names give.
    private static let stale = """
        SELECT s.id, s.search_text FROM sessions s
        LEFT JOIN formateurs f ON f.id = formateur_id LEFT JOIN clients c ON c.id = client_id
        WHERE s.search_text IS DISTINCT FROM concat(
            translate(kernel.without_accents(module || ' ' || coalesce(ref_contrat, '') || ' ' || coalesce(lieu, '')), E'\\n', E'\\x0B'),
            E'\\n', translate(kernel.without_accents(prenom || ' ' || nom), E'\\n', E'\\x0B'),
            E'\\n', translate(kernel.without_accents(raison_sociale), E'\\n', E'\\x0B'))
        """

    private static let people = """
        INSERT INTO formateurs (prenom, nom) VALUES ('Élodie', 'Dupré'), ('Marc', E'Le\\nGoff');
        INSERT INTO clients (raison_sociale) VALUES ('Hôtel'), ('Société');
        """

    private static func session(_ module: String, _ formateur: Int, _ client: Int) -> String {
        """
        INSERT INTO sessions (module, date, debut, fin, modalite, formateur_id, client_id)
        VALUES ('\(module)', '2026-01-12', '09:00', '17:00', 'D', \(formateur), \(client));
        """
    }

    @Test func `a renamed trainer or client finds its sessions by the new name only, and they stay unchanged`()
        async throws
    {
        let rows = try await Fixtures()
        let formateur = try await rows.formateur([("nom", .string("Avant \(rows.mark)"))])
        let client = try await rows.client([("raison_sociale", .string("Jadis \(rows.mark)"))])
        let id = JSONValue(
            try await rows.session([("formateur_id", JSONValue(formateur)), ("client_id", JSONValue(client))]))
        let before = try await rows.client.call("sessions.get", ["id": id])
        let history = try await rows.client.call("sessions.history", ["id": id])
        _ = try await rows.client.call(
            "formateurs.update", ["id": JSONValue(formateur), "values": ["nom": .string("Après \(rows.mark)")]])
        _ = try await rows.client.call(
            "clients.update",
            ["id": JSONValue(client), "values": ["raison_sociale": .string("Désormais \(rows.mark)")]])
        for (words, isFound) in [
            ("avant", false), ("jadis", false), ("apres", true), ("desormais", true), ("apres desormais module", true),
        ] {
            let found = try await rows.client.call(
                "sessions.list", ["search": .string("\(words) \(rows.mark)"), "select": "{ id }"])
            #expect(found["items"] == (isFound ? [["id": id]] : []), "\(words)")
        }
        #expect(try await rows.client.call("sessions.get", ["id": id]) == before)
        #expect(try await rows.client.call("sessions.history", ["id": id]) == history)
        #expect(!history.json.contains("search_text"))
    }

    @Test func `a line break within a part of a searchable text stays white space`() async throws {
        try await TestDatabase.with { database in
            let isKept = try await database.psql("SELECT kernel.search_part(E'Le\\nGoff') = E'le\\x0Bgoff'")
            #expect(isKept == "t")
        }
    }

    @Test func `a word does not match across the names of trainer and client`() async throws {
        let rows = try await Fixtures()
        let formateur = try await rows.formateur([("nom", .string("Un\(rows.mark)"))])
        let client = try await rows.client([("raison_sociale", .string("½ \(rows.mark)"))])
        _ = try await rows.session([
            ("module", "Deux"), ("formateur_id", JSONValue(formateur)), ("client_id", JSONValue(client)),
        ])
        // `½` is normalised to ` 1/2`, with a space.
        for (word, count) in [("un\(rows.mark)", 1), ("un\(rows.mark)½", 0), ("un\(rows.mark)1/2", 0)] {
            let found = try await rows.client.call(
                "sessions.list", ["search": .string(word), "count": true, "select": "{ id }"])
            #expect(found["total"] == JSONValue(count), "\(word)")
        }
    }

    @Test func `every way to write keeps the texts right`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(Self.people)
            for write in [
                Self.session("Swift", 1, 1) + Self.session("É\u{A0}té", 2, 2),
                """
                COPY sessions (module, date, debut, fin, modalite, lieu, formateur_id, search_text) FROM STDIN;
                Copié\t2026-01-12\t09:00\t17:00\tP\tLyon\t2\tfaux
                Copié\t2026-01-12\t09:00\t17:00\tP\t\\N\t\\N\t\\N
                \\.

                """,
                "UPDATE sessions SET module = module || ' bis', lieu = NULL",
                "UPDATE sessions SET formateur_id = 3 - formateur_id, ref_contrat = E'CT\\n' || id",
                "UPDATE sessions SET client_id = NULL WHERE id % 2 = 0",
                "UPDATE formateurs SET nom = nom || 'x', prenom = 'Zoé'", "UPDATE clients SET raison_sociale = 'Ça'",
                "UPDATE sessions SET search_text = 'faux'",
                "BEGIN; UPDATE sessions SET formateur_id = 1; UPDATE formateurs SET nom = 'Œuvre'; COMMIT",
                "BEGIN; UPDATE formateurs SET nom = 'Noël'; ROLLBACK",
                "TRUNCATE sessions; " + Self.session("Après", 1, 2),
            ] {
                try await database.psql(write)
                #expect(try await database.psql(Self.stale) == "", "\(write)")
            }
            #expect(try await database.psql("SELECT count(*) FROM sessions") == "1")
        }
    }

    /// Runs `first` in a transaction that stays open until `second` waits for it.
    private func overlapping(_ first: String, _ second: String, on database: TestDatabase) async throws {
        let client = PostgresClient(.init(connectionString: database.connectionString))
        let other = try await client.withConnection { connection in
            try await connection.simpleQuery("BEGIN; \(first)")
            let other = Task { try await database.psql(second) }
            try await eventually("the second transaction waits") {
                try await database.psql(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                ) == "1"
            }
            try await connection.simpleQuery("COMMIT")
            return other
        }
        await client.shutdown()
        _ = try await other.value
    }

    @Test func `a session and the name of its trainer or client may change at the same time`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(Self.people + Self.session("Swift", 1, 1) + Self.session("Swift", 2, 1))
            let rename = "UPDATE formateurs SET nom = nom || 'x' WHERE id = 1;"
            let client = "UPDATE clients SET raison_sociale = raison_sociale || 'y' WHERE id = 1;"
            for (first, second) in [
                (Self.session("Neuf", 1, 2), rename), (rename, Self.session("Neuf", 1, 2)),
                ("UPDATE sessions SET formateur_id = 1 WHERE id = 2;", rename),
                ("UPDATE sessions SET formateur_id = 2 WHERE id = 2;", rename),
                (rename, "UPDATE sessions SET formateur_id = 1 WHERE id = 2;"),
                ("UPDATE sessions SET module = 'Autre' WHERE id = 1;", rename),
                (rename, "UPDATE sessions SET module = 'Encore' WHERE id = 1;"),
                (rename, client), (client, rename),
                (client, "UPDATE sessions SET client_id = 1;"),
            ] {
                try await overlapping(first, second, on: database)
                #expect(try await database.psql(Self.stale) == "", "\(first) \(second)")
            }
            // An old snapshot would miss sessions that others have added: such a transaction is refused.
            await #expect(throws: TestEnvironmentError.self) {
                try await database.psql("BEGIN ISOLATION LEVEL REPEATABLE READ; \(rename) COMMIT")
            }
            #expect(try await database.psql(Self.stale) == "")
        }
    }
}
