import Foundation
import JSON
import PostgresDriver
import TestMail
import TestPostgres
import TestSupport
import Testing

/// A server that mails documents to sign, with a session that has a contract.
struct SigningServer: Sendable {
    let server: TestServer
    let sink: SMTPSink
    let client: RPCClient
    let session: JSONValue

    /// - Parameter connection: what the server connects to the database with, if it is not the database's own address.
    init(
        _ arguments: [String] = [], database: TestDatabase? = nil, connection: String? = nil
    ) async throws {
        sink = try await SMTPSink()
        var environment = ["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"]
        environment["DATABASE_URL"] = connection
        server = try await TestServer.start(arguments, environment: environment, database: database)
        let rows = try await Fixtures(server)
        client = rows.client
        let organisme = try await client.call("organisme.ouvrir")
        _ = try await client.call("organisme.update", ["id": organisme["id"] ?? .null, "values": Self.organisme])
        let customer = try await rows.client([("raison_sociale", "Librairie La Plume")])
        let trainer = try await rows.formateur([("exterieur", 1)])
        session = JSONValue(
            try await rows.session([
                ("module", "SwiftUI avancé"), ("client_id", JSONValue(customer)), ("tarif_client", .number("1250.00")),
                ("formateur_id", JSONValue(trainer)), ("tarif_sous_traitant", .number("450.00")),
            ]))
    }

    /// What a contract says about the organisation.
    static let organisme: JSONValue = [
        "raison_sociale": "Cap Savoirs", "siret": "732 829 320 00074", "nda": "84691234567",
        "signataire": "Claire Fontaine, gérante",
    ]

    /// The params that ask for the signatures of the contract.
    func request(
        _ signatories: [(name: String, email: String)], of method: JSONValue = "sessions.convention"
    ) -> JSONValue {
        [
            "document": ["methode": method, "params": ["id": session]],
            "signataires": .array(signatories.map { ["nom": .string($0.name), "email": .string($0.email)] }),
        ]
    }

    /// Asks for the signatures of the contract, and returns the record.
    func ask(_ signatories: (name: String, email: String)...) async throws -> JSONValue {
        try await client.call("signatures.demander", request(signatories))
    }

    /// The path of the link in the mail to an address, as soon as there is one.
    func link(to address: String) async throws -> String {
        let mail = try await mail(to: address, "signer")
        let text = mail["text/plain"] ?? ""
        let link = try #require(text.firstMatch(of: /https?:\/\/[^\/]+(\/signatures\/[A-Za-z0-9_-]+)/), "\(text)")
        return String(link.1)
    }

    /// The mail to an address with a word in its subject.
    func mail(to address: String, _ word: String) async throws -> [String: String] {
        var found: [String: String]?
        try await eventually("a mail to \(address)") {
            for mail in try sink.mails() where mail.recipients == [address] {
                let read = try await SMTPSink.read(mail)
                if read["subject"]?.contains(word) == true { found = read }
            }
            return found != nil
        }
        return try #require(found)
    }

    func get(_ path: String) async throws -> HTTPConnection.Response {
        try await server.connection().request("GET", path)
    }

    /// What the form of a page sends back of what it shows; empty if there is no form.
    func shown(on path: String) async throws -> String {
        let page = try await get(path).text
        return page.firstMatch(of: /name="shown" value="([A-Za-z0-9_-]{43})"/).map { String($0.1) } ?? ""
    }

    /// Sends the form of a page.
    func post(
        _ path: String, _ fields: [(String, String)], headers: [(String, String)] = [("User-Agent", "Essai 1.0")]
    ) async throws -> HTTPConnection.Response {
        let body = fields.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        return try await server.connection().request(
            "POST", path,
            headers: [("Content-Type", "application/x-www-form-urlencoded")] + headers,
            body: Array(body.joined(separator: "&").utf8))
    }

    /// Signs as a person does who opens the page, and draws nothing or a picture of two pixels.
    func sign(
        _ path: String, _ name: String, draws: Bool = false,
        headers: [(String, String)] = [("User-Agent", "Essai 1.0")]
    ) async throws -> HTTPConnection.Response {
        try await post(
            path, try await form(of: path, name, drawing: draws ? Self.picture : ""), headers: headers)
    }

    /// The fields of the form of a page, filled in.
    func form(of path: String, _ name: String, drawing: String = "") async throws -> [(String, String)] {
        [("name", name), ("consent", "oui"), ("signature", drawing), ("shown", try await shown(on: path))]
    }

    /// A PNG of two pixels, in Base64URL.
    static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAQAAABeK7cBAAAADUlEQVR4nGNg-M_wHwAEAQH_cetH5QAAAABJRU5ErkJggg"

    /// A value of the only request, or of all.
    func row(_ columns: String, from table: String = "signatures") async throws -> String {
        try await server.database.psql("SELECT \(columns) FROM kernel.\(table)")
    }

    /// Moves the deadline of all requests. No statement may do it while the tables are guarded.
    func moveDeadline(to moment: String) async throws {
        _ = try await server.database.psql(
            """
            BEGIN;
            ALTER TABLE kernel.signatures DISABLE TRIGGER signature_guard;
            UPDATE kernel.signatures SET expires_at = \(moment);
            ALTER TABLE kernel.signatures ENABLE TRIGGER signature_guard;
            COMMIT
            """)
    }

    /// Starts operations that wait for the row of a request, each after the one before, and lets them go on together.
    ///
    /// - Parameter waiting: how many wait in Postgres at most. The server lets one form at a time wait there; another waits
    ///   in the server.
    func atOnce<Result: Sendable>(
        waiting most: Int = .max, _ operations: [@Sendable () async throws -> Result]
    ) async throws -> [Result] {
        let database = PostgresClient(.init(connectionString: server.database.connectionString))
        let results = try await database.withConnection { connection in
            try await connection.simpleQuery("BEGIN; SELECT FROM kernel.signatures FOR UPDATE")
            return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
                for (index, operation) in operations.enumerated() {
                    group.addTask { (index, try await operation()) }
                    let expected = min(index + 1, most)
                    try await eventually("\(expected) wait for the row") {
                        try await server.database.psql(
                            """
                            SELECT count(*) FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock'
                            """) == "\(expected)"
                    }
                }
                try await connection.simpleQuery("COMMIT")
                var results: [Int: Result] = [:]
                for try await (index, result) in group { results[index] = result }
                return operations.indices.compactMap { results[$0] }
            }
        }
        await database.shutdown()
        return results
    }

    /// Expects that the tables refuse a statement of their owner.
    func expectRefused(_ statement: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let outcome = try await server.database.psql(
            """
            DO $$ BEGIN \(statement); RAISE EXCEPTION 'done';
            EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;
            SELECT 'refused'
            """)
        #expect(outcome.hasSuffix("refused"), "\(statement)", sourceLocation: sourceLocation)
    }
}
