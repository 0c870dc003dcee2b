import Foundation
import JSON
import TestPDF
import TestPostgres
import TestSupport
import Testing

/// The PDF documents about sessions, from the call to the opened link.
@Suite struct SessionPDFTests {
    /// Follows the link that a call answers with.
    private static func open(_ link: JSONValue, of server: TestServer? = nil) async throws -> ReadPDF {
        #expect(link["media_type"] == "application/pdf")
        let url = try #require(link["url"]?.text.flatMap(URL.init(string:)))
        let shared = try await TestServer.running()
        let response = try await (server ?? shared).connection().request("GET", url.path)
        #expect(response.status == 200)
        return try await ReadPDF(response.body)
    }

    private static func session(_ rows: Fixtures) async throws -> JSONValue {
        let client = try await rows.client()
        let id = try await rows.session([
            ("module", "SwiftUI avancé"), ("date", "2031-08-03"), ("client_id", JSONValue(client)),
            ("tarif_client", .number("1250.00")), ("tarif_sous_traitant", .number("450.00")),
        ])
        return JSONValue(id)
    }

    @Test(arguments: [
        ("sessions.convention", "Convention de formation professionnelle", "1 250,00 € HT", "450,00"),
        ("sessions.contrat_formateur", "Contrat de sous-traitance", "450,00 € HT", "1 250,00"),
    ])
    func `a contract opens with its own price only`(
        method: String, title: String, seen: String, hidden: String
    ) async throws {
        let rows = try await Fixtures()
        let id = try await Self.session(rows)
        let pdf = try await Self.open(try await rows.client.call(method, ["id": id]))
        let text = pdf.text.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
        #expect(text.contains(title) && text.contains("SwiftUI avancé"))
        #expect(text.contains(seen) && !text.contains(hidden))
    }

    @Test func `a document that takes too long ends at its deadline, and those of others are made`()
        async throws
    {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let id = try await Self.session(rows)
        let long = try await rows.client.call("sessions.convention", ["id": id])
        let short = try await server.client(TestServer.user).call(
            "sessions.liste", ["du": "2031-08-01", "au": "2031-08-31"])
        _ = try await server.database.psql(
            """
            SET session_replication_role = replica;
            DELETE FROM organisme;
            INSERT INTO organisme (raison_sociale, clauses_convention)
            VALUES ('Cap', repeat(E'Le client paie ce qui est convenu.\\n', 300000))
            """)
        let start = ContinuousClock.now
        async let late = server.open(long)
        // Again, because on a busy machine the other one may take too long as well.
        try await eventually("the other one is made") { try await server.open(short).status == 200 }
        let answer = try await late
        #expect(answer.status == 504, "\(answer.status) \(String(decoding: answer.body.prefix(500), as: UTF8.self))")
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(try await server.stop() == 0)
    }

    @Test func `a summary for the organisation itself is for administrators`() async throws {
        let rows = try await Fixtures()
        let params: JSONValue = ["id": try await Self.session(rows), "audience": "interne"]
        let pdf = try await Self.open(try await rows.client.call("sessions.recapitulatif", params))
        #expect(pdf.text.contains("Marge"))
        let user = try await TestServer.running().client(TestServer.user)
        let refusal = try await user.refusal("sessions.recapitulatif", params)
        #expect(refusal["code"] == 403)
    }

    @Test func `a plan contains the sessions of its days`() async throws {
        let rows = try await Fixtures()
        _ = try await Self.session(rows)
        let pdf = try await Self.open(
            try await rows.client.call("sessions.liste", ["du": "2031-08-01", "au": "2031-08-31"]))
        #expect(pdf.text.contains("SwiftUI avancé"))
        pdf.expectTidyLayout()
        let refusal = try await rows.client.refusal("sessions.liste", ["du": "2031-08-02", "au": "2031-08-01"])
        #expect(refusal["code"] == -32602)
    }

    @Test func `each document shows the logo, to users too, and one that cannot be drawn is left out and logged`()
        async throws
    {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let id = try await Self.session(rows)
        let calls: [(method: String, params: JSONValue)] = [
            ("sessions.recapitulatif", ["id": id]), ("sessions.convention", ["id": id]),
            ("sessions.contrat_formateur", ["id": id]), ("sessions.liste", ["du": "2031-08-01", "au": "2031-08-31"]),
        ]
        let user = try await server.client(TestServer.user)
        let organisme = try await rows.client.call("organisme.ouvrir")
        let folder = URL(filePath: try ProjectFiles.root() + "/Tests/Cases")
        let png = Array(try Data(contentsOf: folder.appending(path: "logo.png")))
        let response = try await rows.client.http.request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(rows.client.token ?? "")")], body: png)
        let file = try JSONValue.parse(response.body)["id"] ?? .null
        #expect(response.status == 200, "\(file.json)")
        _ = try await rows.client.call("organisme.update", ["id": organisme["id"] ?? .null, "values": ["logo": file]])
        for isShown in [true, false] {
            if !isShown {
                // As a version before this one kept it, which took a damaged picture.
                let broken = PNGFile.bytes(width: 10, height: 10, rows: [1, 2, 3])
                let hex = broken.map { String(format: "%02x", $0) }.joined()
                try await server.database.psql(
                    """
                    DELETE FROM kernel.file_pictures;
                    UPDATE kernel.file_bytes SET bytes = '\\x\(hex)' WHERE file_id = \(file.json)
                    """)
            }
            for (method, params) in calls {
                let pdf = try await Self.open(try await user.call(method, params), of: server)
                let darkness = try await pdf.darknessOfLogo(onPage: 0)
                #expect((darkness > 300) == isShown, "\(method): \(darkness)")
                #expect(pdf.text.contains("Organisme de formation"), "\(method): \(pdf.text)")
            }
        }
        #expect(try await server.stop() == 0)
        let lines = server.process.errors.split(separator: "\n").filter { $0.contains("cannot be read") }
        #expect(lines.count == 4 && lines.allSatisfy { $0.contains("sessions.") }, "\(lines)")
    }

    @Test func `each document shows the organisation, to users too`() async throws {
        // A server of its own, because there is one organisation, which other tests' documents would show.
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let id = try await Self.session(rows)
        let days: JSONValue = ["du": "2031-08-01", "au": "2031-08-31"]
        let calls: [(method: String, params: JSONValue)] = [
            ("sessions.recapitulatif", ["id": id]), ("sessions.convention", ["id": id]),
            ("sessions.contrat_formateur", ["id": id]), ("sessions.liste", days),
        ]
        let user = try await server.client(TestServer.user)
        let organisme = try await rows.client.call("organisme.ouvrir")
        for (method, params) in calls {
            let empty = try await Self.open(try await user.call(method, params), of: server)
            #expect(empty.text.contains("Organisme de formation"), "\(method): \(empty.text)")
        }
        let values: JSONValue = ["raison_sociale": "Plumereau", "nda": "24370000037"]
        _ = try await rows.client.call("organisme.update", ["id": organisme["id"] ?? .null, "values": values])
        for (method, params) in calls {
            let pdf = try await Self.open(try await user.call(method, params), of: server)
            #expect(pdf.text.contains("Plumereau") && pdf.text.contains("24370000037"), "\(method): \(pdf.text)")
            #expect(!pdf.text.contains("Organisme de formation"), "\(method): \(pdf.text)")
        }
        #expect(try await server.stop() == 0)
    }
}
