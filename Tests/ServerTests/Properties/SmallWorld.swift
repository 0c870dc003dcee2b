import DomainKit
import Foundation
import JSON
import TestPostgres

/// A server on a few rows with many ties, nulls and accents, and the same rows in memory, with derived fields as Postgres
/// computes them.
struct SmallWorld: Sendable {
    let server: TestServer
    /// Rows by table.
    let tables: [String: [JSONValue]]

    private static let shared = Shared { try await start() }

    static func running() async throws -> SmallWorld { try await shared.value() }

    /// Starts a server for the caller alone.
    static func start() async throws -> SmallWorld {
        let database = try await TestDatabase.create(migrated: true)
        try await database.psql(rows)
        let server = try await TestServer.start(["--max-cost", "2000000"], database: database)
        var tables: [String: [JSONValue]] = [:]
        for name in ["sessions", "formateurs", "clients", "ecoles", "programmes", "users"] {
            let derived = try Entity.named(name).derived.map { "'\($0.name)', to_json(\($0.function ?? $0.name)(t))" }
            let object = derived.isEmpty ? "" : " || jsonb_build_object(\(derived.joined(separator: ", ")))"
            let text = try await database.psql(
                "SET TIME ZONE 'UTC'; SELECT coalesce(json_agg(to_jsonb(t)\(object) ORDER BY t.id), '[]') FROM \(name) t"
            )
            tables[name] = try JSONValue.parse(Array(text.utf8)).array
        }
        return SmallWorld(server: server, tables: tables)
    }

    func rows(_ table: String) -> [JSONValue] { tables[table] ?? [] }

    /// The record that a foreign key of `row` refers to.
    func related(_ row: JSONValue, by column: String, in table: String) -> JSONValue? {
        guard let id = row[column]?.int else { return nil }
        return rows(table).first { $0["id"]?.int == id }
    }

    private static let rows = """
        INSERT INTO formateurs (prenom, nom, email, telephone, specialite, taux_horaire, exterieur, rue, ville, version)
        SELECT (ARRAY['Élodie','elodie','Zoé','Éric'])[1 + n % 4], (ARRAY['Dupré','dupre','Lefèvre'])[1 + n % 3],
            CASE WHEN n % 3 > 0 THEN 'f' || n || '@exemple.fr' END, CASE WHEN n % 2 = 0 THEN '06 12 34 56 7' || n % 10 END,
            (ARRAY['Swift','swift','100% C_x',NULL])[1 + n % 4], (ARRAY[40, 40.5, NULL])[1 + n % 3], n % 2,
            CASE WHEN n % 2 = 0 THEN n || ' rue haute' END, (ARRAY['Lyon','lyon',NULL])[1 + n % 3], 1 + n % 2
        FROM generate_series(1, 9) n;
        INSERT INTO clients (raison_sociale, ville, nom_contact)
        SELECT (ARRAY['Été','ete','Hôtel'])[1 + n % 3] || CASE WHEN n > 5 THEN ' ' || n ELSE '' END,
            (ARRAY['Paris',NULL,'Orléans'])[1 + n % 3], (ARRAY['Anne',NULL])[1 + n % 2] FROM generate_series(1, 8) n;
        INSERT INTO ecoles (nom, ville)
        SELECT (ARRAY['École','ecole','Lycée'])[1 + n % 3], (ARRAY['Lille',NULL])[1 + n % 2] FROM generate_series(1, 4) n;
        INSERT INTO users (username, email, role, supabase_user_id, is_active)
        SELECT CASE WHEN n % 3 > 0 THEN 'u' || n END, 'u' || n || '@exemple.fr', (ARRAY['admin','user'])[1 + n % 2],
            CASE WHEN n % 2 = 0 THEN ('00000000-0000-4000-8000-00000000000' || n)::uuid END, n % 4 > 0
        FROM generate_series(1, 9) n;
        INSERT INTO sessions (module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser,
            ref_contrat, ecole_id, client_id, formateur_id, created_at, updated_at, version)
        SELECT (ARRAY['été','Ete','zoo','éTé 2','Swift_1','100%'])[1 + n % 6], date '2020-01-01' + n % 7 * (1 + n % 2 * 2000),
            time '08:00' + n % 3 * interval '1 hour', time '12:00' + n % 4 * interval '30 min', (ARRAY['P','D'])[1 + n % 2],
            (ARRAY['Paris','paris','Lyon',NULL])[1 + n % 4], (ARRAY[NULL,100,100.5,250])[1 + n % 4],
            (ARRAY[NULL,50,120])[1 + n % 3], (ARRAY[NULL,10])[1 + n % 2], (ARRAY[NULL,'CT 1','ct 1','CT 2'])[1 + n % 4],
            NULLIF(n % 5, 0), NULLIF(n % 7, 0), NULLIF(n % 8, 0),
            timestamptz '2026-01-01 10:00:00+00' + n % 5 * interval '0.25 s', timestamptz '2026-02-01 00:00:00+00', 1 + n % 3
        FROM generate_series(1, 80) n;
        """
}
