import Crypto
import Foundation
import JSON
import TestMail
import TestPDF
import TestPostgres
import TestSupport
import Testing

/// learntrack-next.md, "Signature": "mails a link good for 14 days; the page shows the PDF, takes name, consent and a drawn
/// signature; the final PDF has an evidence page (who, when, address, SHA-256 of what was shown); the document is immutable
/// after; every step in the journal; a link used twice, late or altered is refused".
@Suite struct SigningTests {
    private static let marie = (name: "Marie Curie", email: "marie@exemple.fr")
    private static let paul = (name: "Paul Langevin", email: "paul@exemple.fr")

    private static func hex(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
    }

    @Test func `the change feed tells of what a signatory does`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        let start = try await signing.client.call("changes.list")["end_cursor"] ?? .null
        #expect(try await signing.sign(link, "Marie Curie").status == 200)
        for table in ["signatures", "signatories"] {
            try await eventually("the change of \(table) is in the feed") {
                let page = try await signing.client.call("changes.list", ["after": start, "tables": [.string(table)]])
                return page.at("/items").array.contains { $0["op"] == "update" }
            }
        }
    }

    @Test func `two signatories sign what they were shown, and the signed document proves it`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie, Self.paul)
        #expect(asked["status"] == "waiting")
        #expect(asked["method"] == "sessions.convention")
        let digest = try #require(asked["sha256"]?.text)
        let mail = try await signing.mail(to: Self.marie.email, "signer")
        #expect(mail["text/plain"]?.contains("Bonjour Marie Curie") == true)
        #expect(mail["text/plain"]?.contains(TestServer.admin) == true)
        #expect(mail["text/plain"]?.contains("la convention de formation «\u{A0}SwiftUI avancé\u{A0}» du ") == true)
        let marie = try await signing.link(to: Self.marie.email)
        let paul = try await signing.link(to: Self.paul.email)
        #expect(marie != paul)

        let page = try await signing.get(marie)
        #expect(page.status == 200)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["cache-control"] == "no-store")
        #expect(page.headers["referrer-policy"] == "no-referrer")
        let policy = page.headers["content-security-policy"] ?? ""
        #expect(
            policy.hasPrefix("default-src 'none'; script-src 'sha256-") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        for text in ["value=\"Marie Curie\"", "name=\"consent\"", digest, "<canvas"] {
            #expect(page.text.contains(text), "\(text)")
        }

        let shown = try await signing.get(marie + "/document")
        #expect(shown.status == 200)
        #expect(shown.headers["content-type"] == "application/pdf")
        #expect(Self.hex(shown.body) == digest)
        // The session changes; what is signed does not.
        _ = try await signing.client.call(
            "sessions.update", ["id": signing.session, "values": ["module": "Tout autre chose"]])
        let other = try await signing.get(paul + "/document")
        #expect(other.body == shown.body)

        let first = try await signing.sign(marie, "Marie Curie-Skłodowska", draws: true)
        #expect(first.status == 200, "\(first.text)")
        #expect(first.text.contains("D’autres personnes doivent encore signer"))
        let last = try await signing.sign(paul, "Paul Langevin")
        #expect(last.status == 200)
        #expect(last.text.contains("Tout le monde a signé"))

        let signed = try await signing.get(paul + "/document")
        #expect(signed.body.starts(with: shown.body))
        let pdf = try await ReadPDF(signed.body)
        let before = try await ReadPDF(shown.body)
        #expect(pdf.pages.count == before.pages.count + 1)
        let evidence = pdf.text(ofPage: pdf.pages.count - 1)
        for text in [
            "Certificat de signature électronique", "Marie Curie-Skłodowska", "Paul Langevin", Self.marie.email,
            Self.paul.email, "127.0.0.1", "Essai 1.0",
        ] {
            #expect(evidence.contains(text), "\(text)\n\(evidence)")
        }
        #expect(evidence.replacing(" ", with: "").contains(digest), "\(evidence)")

        let record = try await signing.client.call(
            "signatures.get",
            ["id": asked["id"] ?? .null, "select": "{ status final_sha256 signatories { signed_name } }"])
        #expect(record["status"] == "signed")
        #expect(record["final_sha256"] == .string(Self.hex(signed.body)))
        #expect(record.at("/signatories/0/signed_name") == "Marie Curie-Skłodowska")
        let link = try await signing.client.call("signatures.telecharger", ["id": asked["id"] ?? .null])
        let downloaded = try await signing.server.open(link)
        #expect(downloaded.body == signed.body)
        for address in [Self.marie.email, Self.paul.email, TestServer.admin] {
            let mail = try await signing.mail(to: address, "signé")
            #expect(mail["subject"]?.contains("Convention") == true)
            #expect(mail["attachment"]?.hasSuffix(" (signé).pdf") == true && mail["defects"] == "", "\(mail)")
            #expect(mail["sha256"] == Self.hex(signed.body), "the signed document goes with the mail")
        }
        // The first one signs for the client, the second one for the organisation.
        let frames = pdf.pages[pdf.pages.count - 2].words
        let curie = try #require(frames.last { $0.text == "Curie-Skłodowska" })
        let langevin = try #require(frames.last { $0.text == "Langevin" })
        #expect(curie.left > 300 && langevin.left < 300)
    }

    @Test func `every step is in the journal, with the signatory as its author`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        try await eventually("the mail is noted") {
            try await signing.row("mailed_at IS NOT NULL", from: "signatories") == "t"
        }
        // Programs that look at the links of mails open them. The page says when a person touches it; that counts once.
        for method in ["GET", "HEAD", "GET"] { _ = try await signing.server.connection().request(method, link) }
        #expect(try await signing.row("opened_at IS NULL", from: "signatories") == "t")
        for _ in 1...2 {
            let answer = try await signing.post(link, [("opened", "oui")])
            #expect(answer.status == 204)
        }
        _ = try await signing.sign(link, "Marie Curie")
        let steps = try await signing.server.database.psql(
            """
            SELECT coalesce(actor ->> 'email', actor ->> 'username'), table_name, operation, CASE operation
                WHEN 'update' THEN (SELECT string_agg(key, ' ' ORDER BY key) FROM jsonb_object_keys(after) AS key) END
            FROM journal WHERE table_name IN ('signatures', 'signatories') ORDER BY id
            """)
        #expect(
            steps.split(separator: "\n").map(String.init) == [
                "\(TestServer.admin)|signatures|create|", "\(TestServer.admin)|signatories|create|",
                "outbox:signatures.invitation|signatories|update|mailed_at",
                "Marie Curie <marie@exemple.fr>|signatories|update|opened_at",
                "Marie Curie <marie@exemple.fr>|signatories|update|address consent device signed_at signed_name",
                "Marie Curie <marie@exemple.fr>|signatures|update|completed_at status",
                "signatures|signatures|update|final_sha256",
            ], "\(steps)")
    }

    @Test func `from where and with what a signatory signed is on the page of evidence, and in no answer`() async throws
    {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie)
        _ = try await signing.sign(try await signing.link(to: Self.marie.email), "Marie Curie")
        #expect(try await signing.row("address, device", from: "signatories") == "127.0.0.1|Essai 1.0")
        let signatory: JSONValue = .number(try await signing.row("id", from: "signatories"))
        for client in [signing.client, try await signing.server.client(TestServer.user)] {
            for hidden in ["address", "device"] {
                let refusal = try await client.refusal("signatories.list", ["select": .string("{ \(hidden) }")])
                #expect(refusal.at("/data/errors/0/code") == "unknown")
            }
            let answers = [
                try await client.call("signatories.get", ["id": signatory]),
                try await client.call("signatories.history", ["id": signatory]),
                try await client.call("signatures.history", ["id": asked["id"] ?? .null]),
            ]
            for answer in answers {
                #expect(!answer.json.contains("127.0.0.1") && !answer.json.contains("Essai 1.0"))
            }
            #expect(answers[1].json.contains("Marie Curie"))
        }
    }

    @Test func `mail, page and evidence say for whom is asked, with the logo of the organisation`() async throws {
        let signing = try await SigningServer()
        let logo = URL(filePath: try ProjectFiles.root() + "/Tests/Cases/logo.png")
        let response = try await signing.client.http.request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(signing.client.token ?? "")")],
            body: Array(try Data(contentsOf: logo)))
        let file = try JSONValue.parse(response.body)["id"] ?? .null
        let organisme = try await signing.client.call("organisme.ouvrir")
        _ = try await signing.client.call(
            "organisme.update",
            [
                "id": organisme["id"] ?? .null,
                "values": ["logo": file, "raison_sociale": "Formations du Centre"],
            ])
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        let mail = try await signing.mail(to: Self.marie.email, "signer")
        #expect(mail["text/plain"]?.contains("Formations du Centre vous demande, par ") == true, "\(mail)")
        let page = try await signing.get(link).text
        #expect(page.contains("<span>Formations du Centre</span>") && page.contains("src=\"data:image/png;base64,"))
        #expect(page.contains("Formations du Centre vous demande de signer la convention de formation"))
        _ = try await signing.sign(link, "Marie Curie")
        #expect(try await signing.get(link).text.contains("<span>Formations du Centre</span>"))
        let pdf = try await ReadPDF(try await signing.get(link + "/document").body)
        #expect(pdf.text(ofPage: pdf.pages.count - 1).contains("Certificat de signature électronique"))
        for page in [0, pdf.pages.count - 1] {
            let darkness = try await pdf.darknessOfLogo(onPage: page)
            #expect(darkness > 300, "page \(page + 1): \(darkness)")
        }
    }

    @Test func `a link signs once, of two attempts at once too`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...4 {
                group.addTask { try await signing.sign(link, "Marie Curie", draws: number % 2 == 0).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 409, 409, 409])
        let document = try await signing.get(link + "/document").body
        let again = try await signing.sign(link, "Une autre")
        #expect(again.status == 409)
        #expect(again.text.contains("Ce lien a déjà servi"))
        #expect(try await signing.get(link).status == 409)
        #expect(try await signing.row("signed_name", from: "signatories") == "Marie Curie")
        let kept = try await signing.get(link + "/document")
        #expect(kept.body == document)
    }

    @Test func `a link that is late, cancelled or altered neither shows the document nor signs it`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        func expect(_ status: Int, _ path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            for answer in [
                try await signing.get(path), try await signing.get(path + "/document"),
                try await signing.sign(path, "Marie Curie"),
            ] {
                #expect(answer.status == status, "\(path)", sourceLocation: sourceLocation)
                #expect(answer.headers["content-type"] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
            }
        }
        let changed = String(link.dropLast()) + (link.hasSuffix("A") ? "Q" : "A")
        for altered in [changed, String(link.dropLast(4)), link + "AAAA", "/signatures/1", "/signatures/\(UUID())"] {
            try await expect(404, altered)
        }
        try await signing.moveDeadline(to: "now() - interval '1 second'")
        try await expect(410, link)
        try await signing.moveDeadline(to: "now() + interval '1 day'")
        #expect(try await signing.get(link).status == 200)
        let cancelled = try await signing.client.call("signatures.annuler", ["id": asked["id"] ?? .null])
        #expect(cancelled["status"] == "cancelled")
        try await expect(410, link)
        let refusal = try await signing.client.refusal("signatures.annuler", ["id": asked["id"] ?? .null])
        #expect(refusal.at("/data/reason") == "ended")
        #expect(try await signing.row("signed_at IS NULL", from: "signatories") == "t")
    }

    @Test func `a form without name, consent or a readable drawing signs nothing`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        for (name, consent, drawing) in [
            ("", "oui", ""), (" \u{A0}", "oui", ""), ("\u{7}Marie", "oui", ""),
            (String(repeating: "é", count: 151), "oui", ""), ("Marie", "", ""), ("Marie", "non", ""),
            ("Marie", "oui", "%%%"), ("Marie", "oui", "AAAA"),
        ] {
            let answer = try await signing.post(
                link, [("name", name), ("consent", consent), ("signature", drawing)])
            #expect(answer.status == 400, "\(name) \(consent) \(drawing)")
            #expect(answer.text.contains("role=\"alert\""))
            #expect(answer.text.contains("150\u{A0}caractères") == (name.count > 150), "\(answer.text)")
        }
        // What was drawn comes back, and the consent to what is still the same document.
        let fields = try await signing.form(of: link, " ", drawing: SigningServer.picture)
        let kept = try await signing.post(link, fields)
        #expect(kept.text.contains("value=\"\(SigningServer.picture)\""))
        #expect(kept.text.contains("value=\"oui\" required checked"))
        let other = try await signing.post(link, fields.map { ($0.0, $0.0 == "shown" ? "another" : $0.1) })
        #expect(other.text.contains("value=\"oui\" required>"))
        let hostile = try await signing.post(link, [("name", "<script>alert(1)</script>"), ("consent", "")])
        #expect(!hostile.text.contains("<script>alert"))
        let large = try await signing.post(
            link, [("name", "Marie"), ("consent", "oui"), ("signature", String(repeating: "A", count: 70_000))])
        #expect([401, 413].contains(large.status))
        #expect(try await signing.row("signed_at IS NULL", from: "signatories") == "t")
    }

    @Test func `a server that ends after the last signature has its document completed by the next one`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        try await eventually("the mail is noted") {
            try await signing.row("mailed_at IS NOT NULL", from: "signatories") == "t"
        }
        try signing.server.process.signal(9)
        try await signing.server.process.waitForExit()
        // What a server commits, before it makes the evidence.
        let outcome = try await signing.server.database.psql(
            """
            SELECT kernel.signature_sign(link_id, 'Marie Curie', 'Oui', '192.0.2.1', NULL, NULL, 'r')
            FROM kernel.signature_links
            """)
        #expect(outcome == "complete")
        #expect(try await signing.row("final_sha256 IS NULL") == "t")
        let next = try await TestServer.start(
            environment: ["SMTP_URL": "smtp://127.0.0.1:\(signing.sink.port)"], database: signing.server.database)
        try await eventually("it has its evidence") { try await signing.row("final_sha256 IS NOT NULL") == "t" }
        _ = try await signing.mail(to: Self.marie.email, "signé")
        let document = try await next.connection().request("GET", link + "/document")
        let record = try await next.client().call("signatures.get", ["id": asked["id"] ?? .null])
        #expect(record["final_sha256"]?.text == Self.hex(document.body))
        let text = try await ReadPDF(document.body).text
        #expect(text.contains("192.0.2.1"))
        #expect(try await next.stop() == 0)
    }

    @Test func `what was signed cannot be changed or removed, by the owner of the tables either`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        _ = try await signing.sign(try await signing.link(to: Self.marie.email), "Marie Curie", draws: true)
        try await eventually("it has its evidence") { try await signing.row("final_sha256 IS NOT NULL") == "t" }
        for statement in [
            "UPDATE kernel.signatures SET name = 'x'", "UPDATE kernel.signatures SET status = 'cancelled'",
            "UPDATE kernel.signatures SET final_sha256 = repeat('0', 64)",
            "UPDATE kernel.signatories SET signed_name = 'x'", "UPDATE kernel.signatories SET signed_at = now()",
            "UPDATE kernel.signature_documents SET shown = 'x'", "UPDATE kernel.signature_documents SET addition = 'x'",
            "UPDATE kernel.signature_links SET drawing = NULL", "DELETE FROM kernel.signatures",
            "DELETE FROM kernel.signatories", "DELETE FROM kernel.signature_documents",
            "DELETE FROM kernel.signature_links", "TRUNCATE kernel.signatures CASCADE", Self.furtherSignatory,
        ] {
            try await signing.expectRefused(statement)
        }
    }

    private static let furtherSignatory =
        "INSERT INTO kernel.signatories (signature_id, name, email) SELECT id, 'x', 'x@exemple.fr' FROM kernel.signatures"

    @Test func `what people are asked to sign gets no evidence, digest or signatory before all have signed`()
        async throws
    {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        for statement in [
            "UPDATE kernel.signature_documents SET addition = 'x'",
            "UPDATE kernel.signatures SET final_sha256 = repeat('0', 64)", Self.furtherSignatory,
        ] {
            try await signing.expectRefused(statement)
        }
        _ = try await signing.sign(try await signing.link(to: Self.marie.email), "Marie Curie", draws: true)
        try await eventually("it has its evidence") { try await signing.row("final_sha256 IS NOT NULL") == "t" }
    }

    @Test func `the owner of the tables signs only documents that wait, before their deadline, and at that moment`()
        async throws
    {
        func entry(of moment: String) -> String {
            "UPDATE kernel.signatories SET signed_at = \(moment), signed_name = 'Faux', consent = 'x' WHERE signed_at IS NULL"
        }
        let drawing = "UPDATE kernel.signature_links SET drawing = 'x'"
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        for statement in [
            "UPDATE kernel.signatures SET expires_at = expires_at + interval '1 day'",
            "UPDATE kernel.signatures SET status = 'signed', completed_at = now()",
            "UPDATE kernel.signatories SET signed_name = 'Faux'", "UPDATE kernel.signatories SET consent = 'x'",
            entry(of: "now() - interval '1 hour'"), entry(of: "now() + interval '1 hour'"),
        ] {
            try await signing.expectRefused(statement)
        }
        try await signing.moveDeadline(to: "now() - interval '1 second'")
        try await signing.expectRefused(entry(of: "now()"))
        try await signing.expectRefused(drawing)
        try await signing.moveDeadline(to: "now() + interval '1 day'")
        // What is refused above is what signing does: it is not refused for another reason.
        let possible = try await signing.server.database.psql(
            "BEGIN; \(drawing); \(entry(of: "now()")); SELECT signed_name FROM kernel.signatories; ROLLBACK")
        #expect(possible.contains("Faux"))
        _ = try await signing.client.call("signatures.annuler", ["id": asked["id"] ?? .null])
        try await signing.expectRefused(entry(of: "now()"))
        try await signing.expectRefused(drawing)
        #expect(try await signing.sign(link, "Marie Curie").status == 410)
        #expect(try await signing.row("signed_at IS NULL", from: "signatories") == "t")
    }

    @Test func `neither the outbox nor the journal holds what opens a link`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        let secret = String(link.dropFirst("/signatures/".count).suffix(40))
        let kept = try await signing.server.database.psql(
            """
            SELECT (SELECT string_agg(o::text, ' ') FROM kernel.outbox AS o),
                (SELECT string_agg(j::text, ' ') FROM journal AS j),
                (SELECT string_agg(l::text, ' ') FROM kernel.signature_links AS l)
            """)
        #expect(!kept.contains(secret))
        #expect(!signing.server.process.errors.contains(secret))
    }

    @Test func `only who asked, or an administrator, cancels, and nothing is asked with an access key`() async throws {
        let signing = try await SigningServer()
        let user = try await signing.server.client(TestServer.user)
        let asked = try await signing.ask(Self.marie)
        let refusal = try await user.refusal("signatures.annuler", ["id": asked["id"] ?? .null])
        #expect(refusal["code"] == 403)
        let own = try await user.call("signatures.demander", signing.request([Self.paul]))
        let withdrawn = try await user.call("signatures.annuler", ["id": own["id"] ?? .null])
        #expect(withdrawn["status"] == "cancelled")
        let other = try await user.call("signatures.demander", signing.request([Self.paul]))
        let cancelled = try await signing.client.call("signatures.annuler", ["id": other["id"] ?? .null])
        #expect(cancelled["status"] == "cancelled")
        let account = try await signing.server.database.psql(
            "SELECT id FROM users WHERE email = '\(TestServer.admin)'")
        let key = try await signing.client.call(
            "auth.create_access_key", ["account_id": .number(account), "role": "admin", "name": "Essai"])
        let keyed = try RPCClient(port: signing.server.port, token: try #require(key["key"]?.text))
        let withKey = try await keyed.refusal("signatures.demander", signing.request([Self.marie]))
        #expect(withKey["code"] == 403)
        let listed = try await keyed.call("signatures.list")
        #expect(listed["items"] != nil)
    }

    @Test(arguments: [
        ("sessions.convention", "client_id", "client"), ("sessions.convention", "tarif_client", "prix"),
        ("sessions.contrat_formateur", "formateur_id", "formateur"),
        ("sessions.contrat_formateur", "tarif_sous_traitant", "tarif"),
    ])
    func `a contract that lacks a party or its price can be opened and not signed`(
        method: String, column: String, reason: String
    ) async throws {
        let signing = try await SigningServer()
        _ = try await signing.client.call(
            "sessions.update", ["id": signing.session, "values": .merging([(column, .null)])])
        let params = signing.request([Self.marie], of: .string(method))
        let refusal = try await signing.client.refusal("signatures.demander", params)
        #expect(refusal["code"] == 409 && refusal.at("/data/reason") == .string(reason), "\(refusal.json)")
        #expect(try await signing.row("count(*)") == "0")
        let link = try await signing.client.call(method, ["id": signing.session])
        let draft = try await signing.server.open(link)
        #expect(draft.status == 200)
        // The other contract has all that it needs.
        let other = method == "sessions.convention" ? "sessions.contrat_formateur" : "sessions.convention"
        let asked = try await signing.client.call(
            "signatures.demander", signing.request([Self.marie], of: .string(other)))
        #expect(asked["status"] == "waiting")
    }

    /// mends.md, 15: "409 `organisme` {manques} while raison_sociale, SIRET, NDA, signataire lack".
    @Test(arguments: ["sessions.convention", "sessions.contrat_formateur"])
    func `a contract of an organisation that lacks what the law asks for can be opened and not signed`(method: String)
        async throws
    {
        let signing = try await SigningServer()
        let id = try await signing.client.call("organisme.ouvrir")["id"] ?? .null
        let params = signing.request([Self.marie], of: .string(method))
        let names = ["raison_sociale", "siret", "nda", "signataire"]
        for manques in [names, ["signataire"], ["siret", "nda"]] {
            let values = names.map { name -> (String, JSONValue) in
                (name, manques.contains(name) ? .null : SigningServer.organisme[name] ?? .null)
            }
            _ = try await signing.client.call("organisme.update", ["id": id, "values": .merging(values)])
            let refusal = try await signing.client.refusal("signatures.demander", params)
            #expect(refusal["code"] == 409 && refusal.at("/data/reason") == "organisme", "\(refusal.json)")
            #expect(refusal.at("/data/manques") == .array(manques.map { .string($0) }), "\(refusal.json)")
            let draft = try await signing.server.open(try await signing.client.call(method, ["id": signing.session]))
            #expect(try await ReadPDF(draft.body).text.contains("Projet à compléter"))
        }
        // A text of which nothing shows is not there.
        for blank: JSONValue in ["\u{200B}", "\u{3164}"] {
            let values = SigningServer.organisme.setting("/signataire", to: blank).setting("/raison_sociale", to: blank)
            _ = try await signing.client.call("organisme.update", ["id": id, "values": values])
            let refusal = try await signing.client.refusal("signatures.demander", params)
            #expect(refusal.at("/data/manques") == ["raison_sociale", "signataire"], "\(refusal.json)")
        }
        #expect(try await signing.row("count(*)") == "0")
        _ = try await signing.client.call("organisme.update", ["id": id, "values": SigningServer.organisme])
        #expect(try await signing.client.call("signatures.demander", params)["status"] == "waiting")
        #expect(try await signing.row("count(*)") == "1")
    }

    @Test func `a subcontract is signed by trainers who are not employed`() async throws {
        let signing = try await SigningServer()
        try await signing.server.database.psql("UPDATE formateurs SET exterieur = 0")
        let refusal = try await signing.client.refusal(
            "signatures.demander", signing.request([Self.marie], of: "sessions.contrat_formateur"))
        #expect(refusal["code"] == 409 && refusal.at("/data/reason") == "interne", "\(refusal.json)")
        #expect(try await signing.row("count(*)") == "0")
    }

    @Test(arguments: [
        ("sessions.convention", "formateur", "client"), ("sessions.contrat_formateur", "client", "formateur"),
    ])
    func `a document is signed for its parties alone`(method: String, stranger: String, party: String) async throws {
        let signing = try await SigningServer()
        let params = signing.request([Self.marie, Self.paul], of: .string(method))
        let refusal = try await signing.client.refusal(
            "signatures.demander",
            params.setting("/signataires/0/pour", to: "organisme").setting("/signataires/1/pour", to: .string(stranger))
        )
        #expect(refusal.at("/data/errors/0/path") == "/signataires/1/pour", "\(refusal.json)")
        #expect(refusal.at("/data/errors/1") == .null, "\(refusal.json)")
        let message =
            "Donnez «\u{A0}\(party)\u{A0}» ou «\u{A0}organisme\u{A0}»\u{202F}: ce document n’a pas d’autre partie."
        #expect(refusal.at("/data/errors/0/message") == .string(message), "\(refusal.json)")
        #expect(try await signing.row("count(*)") == "0")
        let asked = try await signing.client.call(
            "signatures.demander",
            params.setting("/signataires/0/pour", to: "organisme").setting("/signataires/1/pour", to: .string(party)))
        #expect(asked["status"] == "waiting")
    }

    @Test func `a request with one key is asked once, and a dry run or a refusal asks no one`() async throws {
        let signing = try await SigningServer()
        let params = signing.request([Self.marie])
        _ = try await signing.client.call("signatures.demander", params.setting("/dry_run", to: true))
        let unknown = try await signing.client.refusal(
            "signatures.demander", params.setting("/document/params/id", to: 999_999_999))
        #expect(unknown["code"] == 404)
        #expect(unknown.at("/data/path") == "/document/params/id", "\(unknown.json)")
        let zero = try await signing.client.refusal(
            "signatures.demander", params.setting("/document/params/id", to: 0))
        #expect(zero.at("/data/errors/0/path") == "/document/params/id", "\(zero.json)")
        let twice = try await signing.client.refusal(
            "signatures.demander", signing.request([Self.marie, ("Marie", "MARIE@exemple.fr")]))
        #expect(twice.at("/data/errors/0/path") == "/signataires")
        for wrong in ["sessions.liste", "clients.list"] {
            let refusal = try await signing.client.refusal(
                "signatures.demander", params.setting("/document/methode", to: .string(wrong)))
            #expect(refusal.at("/data/errors/0/path") == "/document/methode")
        }
        #expect(try await signing.row("count(*)") == "0")
        let keyed = params.setting("/idempotency_key", to: "une fois")
        let first = try await signing.client.call("signatures.demander", keyed)
        let again = try await signing.client.call("signatures.demander", keyed)
        #expect(first["id"] == again["id"])
        _ = try await signing.link(to: Self.marie.email)
        #expect(try await signing.row("count(*)") == "1")
        #expect(try await signing.row("count(*)", from: "outbox") == "1")
    }

    @Test func `the documents of one record are found by its id, without reading those of others`() async throws {
        let signing = try await SigningServer()
        let (mine, trainers) = (
            try await signing.ask(Self.marie),
            try await signing.client.call(
                "signatures.demander", signing.request([Self.paul], of: "sessions.contrat_formateur"))
        )
        let copy = try await signing.client.call("sessions.duplicate", ["id": signing.session])
        let other = try await signing.client.call(
            "signatures.demander",
            signing.request([Self.marie]).setting("/document/params/id", to: copy["id"] ?? .null))
        func ids(_ session: JSONValue) async throws -> [JSONValue?] {
            let page = try await signing.client.call(
                "signatures.list",
                [
                    "where": ["record_id": session, "method": ["like": "sessions.%"]], "order_by": ["id"],
                    "select": "{ id record_id }",
                ])
            let items = page["items"]?.array ?? []
            #expect(items.allSatisfy { $0["record_id"] == session })
            return items.map { $0["id"] }
        }
        #expect(try await ids(signing.session) == [mine["id"], trainers["id"]])
        #expect(try await ids(copy["id"] ?? .null) == [other["id"]])
        #expect(try await ids(999_999_999).isEmpty)
        let plan = try await signing.server.database.psql(
            """
            SET enable_seqscan = off;
            EXPLAIN SELECT FROM kernel.signatures AS s WHERE kernel.record_id(s) = 1
            """)
        #expect(plan.contains("signatures_record_id_idx"), "\(plan)")
    }
}
